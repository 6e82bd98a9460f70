"""The typed vocabulary: every word has a meaning, a sentence and a user, and mypy refuses any other."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import pytest
from mypy import api

from oakum.model.vocabulary import (
    AGAINST,
    BY_DECISIVENESS,
    CLEARS,
    EVIDENCE,
    HARMLESS,
    MECHANISMS,
    SITE_ROLES,
    WAIT_KINDS,
    CauseRole,
    EvidenceKind,
    Mechanism,
    SiteRole,
    WaitKind,
)
from oakum.report.former import FORMER_KEYS, FORMER_KINDS
from oakum.report.words import WORDS
from support import ROOT

SOURCE = ROOT / "src" / "oakum"
# What notes evidence. The sets of judge.py and of the report only ask for it.
STAGES = ("detect", "explain", "pipeline")  # the last: what an experiment shows
# Sentences whose key does not follow from the kind.
SENTENCES = {
    "other-run": "runs.grew",
    "lock-holder": "locks.holder.passed",
    "no-lock-holder": "locks.nobody",
    "wait-cycle": "locks.cycle",
    "locked-twice": "locks.twice",
    "reader-writer-reader": "locks.reads-again",
    "parent-waits": "locks.parent",
    "inferred-link": "locks.holder.shape",
    "heap-owner": "heap.owner.registration",
    "held-by": "held.global",
    "finalizer-runs": "heap.finalizer",
    "timer-runs": "heap.timer",
    "metric-growth": "numbers.goroutines.rise",
    "metric-plateau": "numbers.goroutines.level",
    "metric-fall": "numbers.goroutines.fall",
    "metric-follows-requests": "numbers.goroutines.traffic",
    "metric-stops-with-work": "numbers.goroutines.stops",
    "follows-work": "signals.follows.goroutines",
    "reproduced": "experiment.reproduced",
    "level-under-load": "experiment.level-under-load",
    "heap-reproduced": "experiment.heap-reproduced",
    "heap-level-under-load": "experiment.heap-level-under-load",
    "may-end": "experiment.may-end",
    "may-fill": "experiment.may-fill",
    "log-lines": "signals.log-place",
    "cause-in-source": "cause.shown",
    "never-removed": "cause.heap.kept",
    "bounded": "cause.heap.bound.limit",
    "ends-by-itself": "cause.ends.timer",
    "known-bug": "upstream.known",
    "proven-by-test": "proof.shown",
}


def trees(*folders: str, holding: tuple[str, ...] = ("",)) -> Iterator[tuple[Path, ast.Module]]:
    """Yield the modules of these folders whose text holds one of these."""
    for path in sorted(path for folder in folders for path in (SOURCE / folder).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if any(part in text for part in holding):
            yield path, ast.parse(text)


@cache
def words_of(folder: str) -> frozenset[str]:
    """Return every text that stands alone in a folder."""
    return frozenset(
        node.value
        for _, tree in trees(folder)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


@pytest.mark.parametrize(
    ("words", "meanings"),
    [
        (EvidenceKind, {kind: one.meaning for kind, one in EVIDENCE.items()}),
        (Mechanism, MECHANISMS),
        (WaitKind, WAIT_KINDS),
        (SiteRole, SITE_ROLES),
    ],
    ids=["evidence", "mechanisms", "waits", "sites"],
)
def test_every_word_has_its_meaning(words: object, meanings: dict[str, str]) -> None:
    assert set(get_args(words)) == set(meanings)
    assert all(len(meaning.split()) > 1 for meaning in meanings.values())


def test_every_kind_has_its_sentence() -> None:
    for kind in EVIDENCE:
        areas = ("goroutines", "locks", "memory", "chains")
        keys = (*(f"{area}.{kind}" for area in areas), kind.replace("-", ".", 1), SENTENCES.get(kind))
        assert WORDS.keys() & set(filter(None, keys)), kind


def test_every_kind_has_its_rank_and_what_speaks_against_comes_last() -> None:
    assert sorted(BY_DECISIVENESS) == sorted(EVIDENCE)
    assert set(BY_DECISIVENESS[-len(AGAINST) :]) == AGAINST


def test_every_kind_is_noted_by_some_stage() -> None:
    assert set(EVIDENCE) - set().union(*map(words_of, STAGES)) == set()


def test_every_mechanism_and_role_is_used() -> None:
    named = {*words_of("detect"), *words_of("explain"), *words_of("knowledge"), *CLEARS.values()}
    assert set(get_args(Mechanism)) - named == set()
    assert set(get_args(CauseRole)) - named == set()
    assert [role for role in get_args(CauseRole) if f"cause.role.{role}" not in WORDS] == []


def test_what_is_asked_of_kinds_is_asked_so_that_mypy_sees_it() -> None:
    """`"wiats" in kinds` and `kinds & {"wiats"}` pass any type checker; `kinds.has` and typed sets do not."""
    asked = (".kinds", "signs.found")
    for path, tree in trees("detect", "explain", "report", "cli", holding=asked):
        for node in ast.walk(tree):
            literals = (isinstance(one, ast.Constant | ast.Set) for one in ast.iter_child_nodes(node))
            if isinstance(node, ast.Compare | ast.BinOp) and any(literals):
                assert not any(word in ast.unparse(node) for word in asked), f"{path.name}: {ast.unparse(node)}"


SNIPPET = """
from oakum.model.vocabulary import EvidenceKind, Kinds, Mechanism

RIGHT: frozenset[EvidenceKind] = frozenset({"steady-growth", "single-step"})
WRONG: frozenset[EvidenceKind] = frozenset({"steady-growth", "single-stpe"})


def judge(kinds: Kinds, mechanism: Mechanism) -> bool:
    right = kinds.has("single-step") or kinds.any("stuck", "plateau") or mechanism == "warm-up"
    wrong = kinds.has("single-stpe")
    wrong = kinds.any("stuck", "plataeu")
    wrong = mechanism == "warmup"
    return right and wrong
"""


def test_a_misspelt_word_is_an_error_of_mypy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYPYPATH", str(ROOT / "src"))
    (tmp_path / "snippet.py").write_text(SNIPPET)
    files = [str(SOURCE / "model" / "vocabulary.py"), str(tmp_path / "snippet.py")]
    told, wrong, _ = api.run(
        ["--strict", "--follow-imports=skip", "--explicit-package-bases", f"--cache-dir={tmp_path}", *files]
    )
    assert wrong == ""
    lines = {int(line.split(":")[1]) for line in told.splitlines() if ": error:" in line}
    assert lines == {at for at, line in enumerate(SNIPPET.split("\n"), 1) if "wrong =" in line or "WRONG" in line}, told


def test_former_names_lead_to_names_of_today() -> None:
    assert set(FORMER_KINDS.values()) <= set(EVIDENCE)
    assert not set(FORMER_KINDS) & set(EVIDENCE)
    assert set(FORMER_KEYS.values()) <= WORDS.keys()
    assert not set(FORMER_KEYS) & WORDS.keys()


def test_what_weakens_is_a_kind_and_no_mechanism_is_both() -> None:
    assert set(EVIDENCE) > AGAINST
    assert set(MECHANISMS) > HARMLESS
