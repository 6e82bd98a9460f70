"""Numbers that decide: which are found, and what a change of one does to the answers."""

import ast
import multiprocessing
from typing import Any

from casebook.runner import rotation, watch
from casebook.runner.corpus import questions_of
from casebook.runner.numbers import Number, Source, modules
from casebook.runner.sensitivity import Changed, Measured, _tried, answer, label
from casebook.runner.sensitivity_page import page, table, unneeded
from oakum.diagnose import diagnose

_SOURCE = """\
from datetime import timedelta

# Fewer are chance. They come and go.
FEW = 3
_PART = 1 / 7
_FIRST, _SECOND = 64, 8 << 20  # of one, of all
_LONG = timedelta(seconds=65)
_NAMES = ("a", "b")

def grows(counts, total, below=0.25):
    if len(counts) < 2 or counts[-2] == 4:
        return counts[:3]
    if 2 * counts[-1] > total:  # most of them
        return round(counts[0] / total, 4)
    # A tenth may be new.
    return counts[-1] >= max(FEW, 0.1 * total) or 60 * total ** 2 > 5
"""


def test_numbers_are_found_with_their_reasons() -> None:
    found = {one.where: (one.value, one.reason) for one in Source("m", _SOURCE).numbers}
    assert found == {
        "FEW": (3, "Fewer are chance."),
        "_PART": (1 / 7, "Fewer are chance."),
        "_FIRST": (64, "of one, of all"),
        "_SECOND": (8 << 20, "of one, of all"),
        "_LONG": (65, ""),
        "grows: 0.25": (0.25, ""),
        "grows: 2 * counts[-1] > total": (2, "most of them"),
        "grows: counts[-1] >= max(FEW, 0.1 * total)": (0.1, "A tenth may be new."),
        "grows: 60 * total ** 2 > 5": (5, "A tenth may be new."),
    }


def test_a_number_is_changed_by_a_third_and_whole_ones_by_one_at_least() -> None:
    by_name = {one.where: one for one in Source("m", _SOURCE).numbers}
    assert (by_name["FEW"].less, by_name["FEW"].more) == (2, 4)
    assert (by_name["_FIRST"].less, by_name["_FIRST"].more) == (43, 85)
    assert by_name["_PART"].less == 2 / 21


def test_one_number_is_changed_and_nothing_else() -> None:
    source = Source("m", _SOURCE)
    for one in source.numbers:
        before, after = ast.unparse(source.tree).splitlines(), ast.unparse(source.with_number(one, 7777)).splitlines()
        (changed,) = [there for here, there in zip(before, after, strict=True) if here != there]
        assert "7777" in changed


def test_a_change_matters_where_a_comparison_comes_out_otherwise() -> None:
    source = Source("m", _SOURCE)
    names = [one.where.removeprefix("grows: ") for one in source.numbers]
    trees, always = watch.watched({"m": source}, source.numbers)
    assert [names[one] for one in always] == ["0.25"]  # of a default nothing is known
    run: dict[str, Any] = {}
    exec(compile(trees["m"], "m", "exec"), run)  # noqa: S102  (the source above)
    watch.used.clear()
    watch.matter.clear()
    assert run["grows"]([1, 2, 3], 10)
    assert {names[one] for one in watch.used} == {
        "FEW",
        "2 * counts[-1] > total",
        "counts[-1] >= max(FEW, 0.1 * total)",
    }
    assert {(names[one], word) for one, word in watch.matter} == {("FEW", "more")}


def test_another_use_may_always_matter_and_so_may_that_of_an_imported_constant() -> None:
    other = Source("other", "from oakum.m import FEW as many\n\ndef f(n):\n    return n * many\n")
    source = Source("m", _SOURCE)
    trees, _ = watch.watched({"m": source, "other": other}, source.numbers)
    assert "n * __touch__((0,), many)" in ast.unparse(trees["other"])


def _number(module: str, name: str) -> Number:
    return next(one for one in Source(module, modules()[module]).numbers if one.where == name)


def _two_changes() -> list[Changed]:
    """Return what two changes do to one recording; runs in a process of its own, which they spoil."""
    asked = [(one, answer(one, diagnose)) for one in questions_of("lots-that-bidders-left", None)]
    few, most = _number("detect.signs", "FEW"), _number("judge", "_MOST")
    return [_tried(few, 1_000_000, asked), _tried(most, most.more, asked)]


def test_a_change_of_what_a_recording_needs_costs_a_truth_and_another_does_not() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        needed, other = pool.apply(_two_changes)
    assert needed.lost
    assert set(needed.lost) == {"lots-that-bidders-left"}
    assert not other.lost
    assert not other.failed
    number = _number("detect.signs", "FEW")
    row = table([Measured(number, 6, needed, other)]).splitlines()[-1]
    assert row.startswith("| `detect.signs: FEW` | 3 | `Below this many")
    assert row.endswith("| `lots-that-bidders-left` |")


def test_what_one_program_alone_holds_in_place_is_owed_to_it() -> None:
    number = _number("judge", "_MOST")
    alone = Changed(3, lost=("a/1", "a/2"), windows=("a/1 all everything", "a/2 one debug=2 only"))
    shared = Changed(2, lost=("b", "c/1"), windows=("b all everything", "c/1 all everything"))
    healthy = Changed(1, accused=("d",), windows=("d all everything",))
    measured = [Measured(number, 9, alone, shared), Measured(number, 1, healthy, Changed(0))]
    assert rotation.owed(measured) == {*alone.windows, *healthy.windows}
    asked = [(one, answer(one, diagnose)) for one in questions_of("lots-that-bidders-left", None)]
    mine = tuple(label(one) for one, told in asked if told and told[0] and one.window == "all")
    (row,) = [
        line
        for line in rotation.table([Measured(number, 9, Changed(9, windows=mine), shared)], asked).splitlines()
        if line.startswith("| all | everything ")
    ]
    assert [cell.strip() for cell in row.split("|")[3:-1]] == ["1", "1", "0", "0", "0", "0"]


def test_the_page_lists_what_nothing_needs_first() -> None:
    few, most = _number("detect.signs", "FEW"), _number("judge", "_MOST")
    none = Changed(0)
    measured = [
        Measured(few, 9, Changed(9, lost=("a", "a", "b"), accused=("c",)), Changed(9, others=2, detected=("d",))),
        Measured(most, 0, none, none),
    ]
    text = page(measured, [], date="2026-01-01")
    assert "No recording uses 1:\n\n- `judge: _MOST` 5" in text
    assert "| +0 -4 (1 accused) | +1 -0 (2 other) | `a`, `b`, `c` |" in text
    assert len(list(unneeded(measured))) == 1
