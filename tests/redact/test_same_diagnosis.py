"""A redacted recording gives the diagnosis of the original, and nothing of its private words is left in it."""

import gzip
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from casebook.runner.case import chosen
from oakum.cli.case import case as case_of
from oakum.diagnose import diagnose
from oakum.model import Case, Diagnosis
from oakum.pipeline.redaction import redaction
from recordings import loaded, recorded, taken, takes
from support import ROOT

Redact = Callable[[str, bytes], bytes | None]
LOCKS = ("double-lock-pricebook", "leaking-go1.19-modcache")  # found by the words in its stacks
SENDERS = ("abandoned-sender-freight", "leaking-go1.27-trimpath")


def told(diagnosis: Diagnosis) -> object:
    """Return what must not change: everything but names."""
    findings = [
        (
            found.mechanism,
            found.confidence,
            sorted(found.suspect.kinds),
            [site.count for site in found.suspect.sites],
            [site.frame.line for site in found.suspect.sites],
            [victim.count for victim in found.suspect.victims],
            [growth.counts for growth in found.suspect.growth],
            [(known.id, known.affects_build) for known in found.known],
        )
        for found in diagnosis.findings
    ]
    return diagnosis.verdict, findings, sorted(one.mechanism for one in diagnosis.explained), diagnosis.memory


def redacted(case: str, take: str) -> Case:
    change = redaction("key")

    def replaced(name: str, data: bytes) -> tuple[str, bytes] | None:
        out = change(name, data)
        return (change.file(name), out) if out is not None else None

    return loaded(case, take, replaced)


def test_the_same_diagnosis() -> None:
    assert told(diagnose(redacted(*LOCKS))) == told(diagnose(taken(*LOCKS)))


@pytest.mark.slow
@pytest.mark.parametrize("verdict", ["leaking", "healthy", "undecided"])
def test_the_same_diagnosis_of_every_case(verdict: str) -> None:
    wrong = [
        f"{case}/{take}"
        for case, take in dict(takes(verdict)).items()  # of each case the last take: a newer Go, shorter paths
        if told(diagnose(redacted(case, take))) != told(diagnose(taken(case, take)))
    ]
    assert wrong == []


@pytest.mark.slow
def test_the_same_diagnosis_of_every_regression(tmp_path: Path) -> None:
    wrong = []
    for folder in sorted(one for one in (ROOT / "tests" / "regressions").iterdir() if (one / "captures").is_dir()):
        change = redaction("key")
        for path in (one for one in (folder / "captures").rglob("*") if one.is_file()):
            if (data := change(path.name, path.read_bytes())) is not None:
                copy = tmp_path / folder.name / path.relative_to(folder / "captures")
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(data)
        before, after = (diagnose(case_of([str(one)])) for one in (folder / "captures", tmp_path / folder.name))
        wrong += [folder.name] if told(before) != told(after) else []
    assert wrong == []


# Words of the programs that mean nothing private: what Go, the standard library and public modules call things.
_DECLARED = re.compile(r"^(?:func (?:\(\w* ?\*?(\w+)[^)]*\) )?(\w+)|type (\w+))", re.MULTILINE)


def private_words(case: str) -> set[str]:
    """Return the names that the author of a program chose, as far as they say something."""
    folder = ROOT / "casebook" / case
    words: set[str] = set()
    for path in folder.rglob("*.go"):
        words |= {word for found in _DECLARED.findall(path.read_text(encoding="utf-8")) for word in found}
        words |= {path.stem, *(parent.name for parent in path.relative_to(folder).parents)}
    module = re.search(r"^module (\S+)", (folder / "go.mod").read_text(encoding="utf-8"), re.MULTILINE)
    words |= set(re.split(r"[/.]", module[1])) if module else set()
    return {word for word in words if len(word) > 3}


def left(case: str, take: str, words: set[str]) -> set[str]:
    """Return the words that are left in private names of a redacted take."""
    change = redaction("key")
    private = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b")
    # What stands behind a public package or path is public, whoever else uses the word.
    public = re.compile(
        r"(?:^|[\s/])(?:[\w.-]+\.(?:io|org|in)|github\.com|net|runtime|os|internal/poll|sync|encoding|bufio|fmt)[/.][^\s]*"
    )
    found: set[str] = set()
    for snapshot in recorded(case, take)[-1:]:
        for name, data in snapshot.files.items():
            out = (change(name, data) or b"") if ".pb" not in name else b""  # it has the same names, but no lines
            plain = gzip.decompress(out) if out[:2] == b"\x1f\x8b" else out
            for line in plain.decode("utf-8", "replace").split("\n"):
                if "main." in line or ".invalid/" in line or name.startswith(("metrics", "process", "log")):
                    found |= set(private.findall(public.sub("", line)))
    return found


def test_nothing_private_is_left() -> None:
    change = redaction("key")
    kept = b""
    for snapshot in recorded(*SENDERS):
        for name, data in snapshot.files.items():
            out = change(name, data)
            assert out is not None, name
            kept += gzip.decompress(out) if out[:2] == b"\x1f\x8b" else out
    assert {"freight", "tidewater", "Desk", "Quote"} <= private_words(SENDERS[0])
    for word in (
        b"freight",
        b"tidewater",
        b"desk",
        b"Desk",
        b"Quote",
        b"quote",
        b"transpacific",
        b"carrier",
        b"example.com",
    ):
        assert word not in kept


@pytest.mark.slow
def test_no_name_of_the_casebook_is_left() -> None:
    """Only words that any program has: verbs that tell what a function does, folders that everybody has."""
    found: set[str] = set()
    for case in chosen(()):
        if not case.name.startswith(("kubernetes-", "rancher-", "ttrpc-", "open-simulator-")):  # forks of public code
            for take in case.takes[:1]:
                if (case.captures / take.name).is_dir() and (ROOT / "casebook" / case.name / "go.mod").is_file():
                    found |= left(case.name, take.name, private_words(case.name))
    from oakum.redact.public import COMMON_PARTS, LEADING, Public

    public = Public()
    assert {word for word in found if not (public.name(word) or word in COMMON_PARTS or word.lower() in LEADING)} <= {
        "server", "client", "request", "http", "metrics", "State", "running", "scheduler", "runtime", "summary", "created",
        "total", "profile", "process", "context", "signal", "list", "pool", "bytes", "poll",
    }  # fmt: skip
