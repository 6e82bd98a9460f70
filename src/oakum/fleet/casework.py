"""What grows -> diagnoses by the pipeline, kept in the store by the evidence they are of: none is made twice.

The evidence of a service is captures of the run of it that grows most, spread over its last stretch. What the pipeline
says of it depends on them alone.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Protocol

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from oakum import __version__
from oakum.fleet.selection import Growing, Run, Selected
from oakum.model import Capture, Diagnosis, NotAssembled, StoreError, stack_key
from oakum.pipeline.case import assemble_case, input_of
from oakum.pipeline.diagnosis import Options, diagnose_case
from oakum.report.json import diagnosis as stored
from oakum.report.json import document
from oakum.store.adding import finding_row
from oakum.store.reader import Reader
from oakum.store.rows import Batch, EventRow, SnapshotRow
from oakum.store.summary import place_key

_LOOKS = 12  # that a diagnosis is made of: growth needs no more, and each is parsed
_PLAIN = 8.0  # errors of the slope: then the time before it rose is mostly left out
_ROWS = 20_000  # of a run that are looked through
_PLACES_MOST = 16
_TOGETHER = 30 * 1_000_000  # profiles of one look are taken one after the other


class Evidence(Struct, frozen=True):
    """What one diagnosis is to be made of."""

    service: str
    run: str
    looks: tuple[tuple[SnapshotRow, ...], ...]
    key: str  # of service, captures and the version that judges

    @property
    def at(self) -> int:
        return self.looks[-1][-1].at


class Judged(Struct, frozen=True, eq=False):
    """A diagnosis, and what it is of."""

    evidence: Evidence
    diagnosis: Diagnosis | None  # None: too little to say
    document: str = ""  # digest, where it is kept
    places: tuple[str, ...] = ()  # keys of the stacks of its first finding


def evidence_of(reader: Reader, selected: Selected, service: str) -> list[Evidence]:
    """Return what a service is to be diagnosed by: the run with most goroutines more, then that with most heap more."""
    growing = selected.growing.get(service, ())
    runs = {run.run: run for run in selected.runs.get(service, ())}
    chosen: dict[str, Growing] = {}
    for kind in ("goroutines", "heap"):
        of = [one for one in growing if one.kind == kind]
        if of:
            most = max(of, key=lambda one: (one.rise.rise, one.run, one.place))
            chosen.setdefault(most.run, most)
    found = [_evidence(reader, service, runs[one.run], _since(one)) for one in chosen.values()]
    return [one for one in found if one is not None]


def _since(one: Growing) -> int:
    """Return from when on captures are looked at: the last restart, or some time before a begin that is plain."""
    rise, end = one.rise, int(one.times[-1])
    return rise.start if rise.sure < _PLAIN else max(rise.start, rise.begin - (end - rise.begin) // 4)


def _evidence(reader: Reader, service: str, run: Run, start: int) -> Evidence | None:
    rows = sorted(reader.kept_snapshots(service, _ROWS, run.run), key=lambda row: row.at)
    looks: list[list[SnapshotRow]] = []
    for row in rows:
        if row.at < start - _TOGETHER:
            continue
        kinds = {(one.goroutines is None, one.heap_live is None) for one in looks[-1]} if looks else set()
        mine = row.goroutines is None, row.heap_live is None
        if looks and row.at - looks[-1][0].at <= _TOGETHER and mine not in kinds:
            looks[-1].append(row)
        else:
            looks.append([row])
    if not looks:
        return None
    # Where goroutines and heap are looked at in turn, whole looks say more.
    whole = [look for look in looks if len(look) == max(map(len, looks))]
    looks = whole if len(whole) >= min(len(looks), _LOOKS // 2) else looks
    step = max(1.0, (len(looks) - 1) / (_LOOKS - 1))
    spread = tuple(tuple(looks[round(at * step)]) for at in range(min(len(looks), _LOOKS)))
    told = [service, __version__, *(f"{row.at} {digest}" for look in spread for row in look for digest in row.captures)]
    key = sha256("\n".join(told).encode("utf-8", "backslashreplace")).hexdigest()[:32]
    return Evidence(service, run.run, spread, key)


class Before(Struct, frozen=True):
    """What a store keeps of a diagnosis, beside its document."""

    verdict: str = ""
    document: str = ""
    places: tuple[str, ...] = ()
    evidence: str = ""


def known(reader: Reader) -> dict[str, Before]:
    """Return the diagnoses that were made, by the key of their evidence."""
    found = {}
    for row in reader.events():
        if row.kind == "diagnosis":
            try:
                one = msgspec.json.decode(row.args, type=Before)
            except msgspec.MsgspecError:
                continue
            if one.evidence:
                found[one.evidence] = one
    return found


def _places(found: Diagnosis | None) -> tuple[str, ...]:
    """Return the keys of the stacks of the first finding, as the store has them."""
    if found is None or not found.findings:
        return ()
    suspect = found.findings[0].suspect
    key = stack_key if suspect.traces else place_key
    stacks = suspect.traces if suspect.traces else suspect.allocations
    return tuple(dict.fromkeys(key(tuple(one.function for one in trace.frames)) for trace in stacks))[:_PLACES_MOST]


def judge(evidence: Evidence, read: Callable[[str], bytes], source: Sequence[str] = ()) -> Diagnosis | None:
    """Return the diagnosis of evidence; None where it is too little. `read` gives a capture by its digest."""
    inputs = []
    for number, look in enumerate(evidence.looks, 1):
        at = datetime.fromtimestamp(look[0].at / 1e6, UTC)
        for place, row in enumerate(look):
            for digest in row.captures:
                try:
                    data = read(digest)
                except StoreError:
                    continue  # gone since: retention
                path = (str(number), f"{place}.pb.gz")
                capture = Capture("/".join((evidence.service, *path)), data, at, at)
                inputs.append(input_of(capture, evidence.service, path, evidence.service))
    try:
        case = assemble_case(inputs).case
    except NotAssembled:
        return None
    found = diagnose_case(case, Options(tuple(source), read_source=bool(source), compile_drafts=False)).diagnosis
    called = f"store:{evidence.service}@{datetime.fromtimestamp(evidence.at / 1e6, UTC):%Y-%m-%dT%H:%M:%SZ}"
    return replace(found, called=(called,))


def rows_of(evidence: Evidence, found: Diagnosis | None, digest: str) -> Batch:
    """Return what a store keeps of a diagnosis beside its document."""
    service, run, at = evidence.service, evidence.run, evidence.at
    findings = found.findings if found is not None else ()
    args = {"verdict": found.verdict if found is not None else "", "findings": len(findings), "document": digest,
            "places": _places(found), "evidence": evidence.key}  # fmt: skip
    return Batch(
        findings=tuple(finding_row(one, service, run, at, digest) for one in findings),
        events=(EventRow(service=service, run=run, at=at, kind="diagnosis", key="store.event.diagnosis",
                         args=json.dumps(args)),),
    )  # fmt: skip


def written(found: Diagnosis) -> bytes:
    return json.dumps(document(found), ensure_ascii=False, sort_keys=True).encode("utf-8", "backslashreplace")


def read_back(data: bytes) -> Diagnosis:
    return stored(json.loads(data))


Keep = Callable[[Evidence, Diagnosis | None], str]  # returns the digest of its document


def judged(
    reader: Reader,
    selected: Selected,
    keep: Keep,
    before: Mapping[str, Before],
    source: Sequence[str] = (),
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> dict[str, Judged]:
    """Return the diagnosis of every service in which something grows; what was judged before is read."""
    found: dict[str, Judged] = {}
    services = sorted(selected.growing)
    for number, service in enumerate(services, 1):
        progress(service, number, len(services))
        for evidence in evidence_of(reader, selected, service):
            one = _judged(reader, evidence, keep, before, source)
            if service not in found or (one.diagnosis is not None and _worse(one.diagnosis, found[service].diagnosis)):
                found[service] = one
            if one.diagnosis is not None and one.diagnosis.verdict == "leaking":
                break
    return found


def _judged(
    reader: Reader, evidence: Evidence, keep: Keep, before: Mapping[str, Before], source: Sequence[str]
) -> Judged:
    if (there := before.get(evidence.key)) is not None:
        if not there.verdict:
            return Judged(evidence, None)
        try:
            return Judged(evidence, read_back(reader.document(there.document)), there.document, there.places)
        except (StoreError, ValueError):
            pass  # the document is gone: it is made anew
    made = judge(evidence, reader.document, source)
    digest = keep(evidence, made)
    if made is None:
        return Judged(evidence, None)
    # What is kept and read back is what every later ranking is made of.
    return Judged(evidence, read_back(written(made)), digest, _places(made))


_ORDER = {"leaking": 0, "undecided": 1, "healthy": 2}


def _worse(one: Diagnosis, other: Diagnosis | None) -> bool:
    return other is None or _ORDER[one.verdict] < _ORDER[other.verdict]


class Keeper(Protocol):
    """What writes into a store, a local or a shared one."""

    def keep(self, data: bytes, kind: str) -> str: ...

    def append(self, batch: Batch) -> None: ...


def keep_in(writer: Keeper | None) -> Keep:
    """Return what keeps a diagnosis in a store; without a writer nothing is kept."""

    def keep(evidence: Evidence, found: Diagnosis | None) -> str:
        if writer is None:
            return ""
        digest = writer.keep(written(found), "diagnosis.json") if found is not None else ""
        writer.append(rows_of(evidence, found, digest))
        return digest

    return keep
