"""manifest.json of a bundle: what was taken, when, from where. Written from plain values, read with suspicion.

What goes out of reading: for each file when it was taken, of which target, and its digest.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct, field

from oakum.collect.bundle.names import inner_path
from oakum.model import Buffer, Problem
from oakum.model.capture import REDACTED

SCHEMA = "oakum.bundle/1"
MANIFEST, SUMS = "manifest.json", "SHA256SUMS"
OWN_FILES = frozenset({MANIFEST, SUMS})
_LONG = 500  # characters of an address
_MOST = 64 << 20  # bytes: 500 targets of 20 snapshots stay below 50 MiB


class Listed(Struct, frozen=True):
    at: datetime | None
    digest: str
    target: str = ""  # the address that it was taken from


class Manifest(Struct, frozen=True):
    files: Mapping[str, Listed] = field(default_factory=dict)
    raw: Mapping[str, Any] = field(default_factory=dict)


def is_manifest(data: Buffer) -> bool:
    """Tell whether bytes are a bundle's manifest; any other manifest.json is evidence like any file."""
    head = bytes(data[:4096])
    return head.lstrip()[:1] == b"{" and b'"oakum.bundle/' in head


def read_manifest(data: Buffer) -> tuple[Manifest, tuple[Problem, ...]]:
    """Return what a manifest says; a broken one says nothing, and the files beside it are read all the same."""
    try:
        if len(data) > _MOST:
            raise ValueError(f"more than {_MOST >> 20} MiB")
        raw = json.loads(bytes(data))
        if not isinstance(raw, dict):
            raise ValueError("no JSON object")
    except (ValueError, RecursionError) as error:
        return Manifest(), (Problem.of("bad-manifest", manifest=MANIFEST, error=str(error)),)
    problems = []
    if raw.get("schema") != SCHEMA:
        schema = str(raw.get("schema"))[:40]
        problems.append(Problem.of("other-schema", manifest=MANIFEST, schema=schema, known=SCHEMA))
    files: dict[str, Listed] = {}
    redacted = raw.get("redacted") is True
    for target, snapshot, capture in _captures(raw):
        here = "/".join(str(one.get("folder", "")) for one in (target, snapshot))
        parts = inner_path(f"{here}/{capture['file']}") if isinstance(capture.get("file"), str) else None
        if parts is not None:
            at = parse_time(capture.get("at")) or parse_time(capture.get("began"))
            files["/".join(parts)] = Listed(at, str(capture.get("digest", "")), _address(target, redacted))
    return Manifest(files, raw), tuple(problems)


def _address(target: Mapping[str, Any], redacted: bool) -> str:
    """Return what a target is named by; nothing that a command line would not take as one word."""
    address = target.get("address")
    if not isinstance(address, str) or len(address) > _LONG or not address.isprintable():
        return ""
    return f"{REDACTED}{address}" if redacted else address


def _captures(raw: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]]]:
    for target in _rows(raw, "targets"):
        for snapshot in _rows(target, "moments"):
            for capture in _rows(snapshot, "captures"):
                yield target, snapshot, capture


def _rows(value: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    rows = value.get(key)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def parse_time(text: object) -> datetime | None:
    """Return the time that a text names, in UTC; None when it names none."""
    if not isinstance(text, str):
        return None
    try:
        at = datetime.fromisoformat(text)
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def stamp(at: datetime | None) -> str | None:
    """Return a time as manifests write it: 2026-11-16T10:15:00.250000Z"""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z") if at is not None else None
