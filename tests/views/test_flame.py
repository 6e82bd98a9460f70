"""The call tree against a naive one, and folded stacks and speedscope JSON made of it."""

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from folded_profile import HEAP, folded_profile, renamed
from oakum.model import ValueType
from oakum.views import folded, speedscope
from oakum.views.flame import SMALL, StackRows, Tree, grow, stack_rows
from oakum.views.query import Query
from support import need_shared

SERVER = {
    "main;serve;read": 5,
    "main;serve;write": 3,
    "main;serve": 2,
    "main;gc+mark": 4,
    "idle": 1,
}


def paths(rows: StackRows, tree: Tree, side: int = 0, kind: int = 0) -> dict[tuple[str, ...], int]:
    """Return the tree as path -> cum; nodes of no value on this side are left out."""
    ways: list[tuple[str, ...]] = [()]
    for node in range(1, len(tree)):
        name = f"({tree.line[node]} small)" if tree.name[node] == SMALL else rows.names[tree.name[node]]
        ways.append((*ways[tree.parent[node]], name))
    return {way: int(cum) for way, cum in zip(ways, tree.cum[side, kind], strict=True) if cum}


def naive(stacks: dict[str, int], inverted: bool = False) -> dict[tuple[str, ...], int]:
    sums: Counter[tuple[str, ...]] = Counter()
    for stack, value in stacks.items():
        frames = stack.replace("+", ";").split(";")
        if inverted:
            frames.reverse()
        for depth in range(len(frames) + 1):
            sums[tuple(frames[:depth])] += value
    return {way: cum for way, cum in sums.items() if cum}


@pytest.mark.parametrize("inverted", [False, True])
def test_tree_adds_up_what_the_stacks_hold(inverted: bool) -> None:
    rows = stack_rows(folded_profile(SERVER), Query())
    assert paths(rows, grow(rows, inverted)) == naive(SERVER, inverted)


STACKS = st.dictionaries(
    st.lists(st.sampled_from("abcdef"), min_size=1, max_size=9).map(lambda frames: ";".join(frames)),
    st.integers(1, 2**40),
    max_size=40,
)


@given(STACKS, st.booleans())
def test_tree_of_any_stacks_equals_the_naive_one(stacks: dict[str, int], inverted: bool) -> None:
    rows = stack_rows(folded_profile(stacks), Query())
    tree = grow(rows, inverted)
    assert paths(rows, tree) == naive(stacks, inverted)
    assert (tree.flat() >= 0).all()
    assert tree.flat().sum() == sum(stacks.values())
    assert (tree.parent[1:] < np.arange(1, len(tree))).all()


@given(STACKS, STACKS, st.booleans())
def test_sides_of_a_comparison_are_the_two_profiles(
    now: dict[str, int], before: dict[str, int], inverted: bool
) -> None:
    rows = stack_rows(folded_profile(now), Query(), folded_profile(before))
    tree = grow(rows, inverted)
    greater = {stack: max(now.get(stack, 0), before.get(stack, 0)) for stack in now.keys() | before.keys()}
    for side, stacks in enumerate((now, before, greater)):
        assert paths(rows, tree, side) == (naive(stacks, inverted) if stacks else {})


@given(STACKS, st.floats(0, 0.5), st.booleans())
def test_folding_small_frames_loses_nothing(stacks: dict[str, int], smallest: float, inverted: bool) -> None:
    rows = stack_rows(folded_profile(stacks), Query())
    tree = grow(rows, inverted, smallest)
    least = sum(stacks.values()) * smallest
    whole = naive(stacks, inverted)
    assert tree.flat().sum() == sum(stacks.values())
    for way, cum in paths(rows, tree).items():
        if way and way[-1].startswith("("):
            siblings = {w: c for w, c in whole.items() if w[:-1] == way[:-1] and len(w) == len(way) and c < least}
            assert cum == sum(siblings.values())
            assert way[-1] == f"({len(siblings)} small)"
        else:
            assert cum == whole[way]


def test_a_difference_is_read_as_now_and_before() -> None:
    rows = stack_rows(folded_profile([("main;a", 7, ()), ("main;a", -5, ()), ("main;b", -2, ())]), Query())
    tree = grow(rows)
    assert rows.compared
    assert paths(rows, tree, 0) == naive({"main;a": 7})
    assert paths(rows, tree, 1) == naive({"main;a": 5, "main;b": 2})
    assert paths(rows, tree, 2) == naive({"main;a": 7, "main;b": 2})


def test_a_node_stands_where_its_heaviest_stack_does() -> None:
    stacks = {"main@m.go:1;f@m.go:10": 1, "main@m.go:2;f@m.go:10": 5, "main@m.go:3;g@m.go:20": 2}
    rows = stack_rows(folded_profile(stacks), Query())
    tree = grow(rows)
    where = {
        rows.names[tree.name[n]]: (rows.files[tree.file[n]], int(tree.line[n]), bool(tree.mixed[n]))
        for n in range(1, len(tree))
    }
    assert where == {"main": ("m.go", 2, True), "f": ("m.go", 10, False), "g": ("m.go", 20, False)}


def test_granularity_is_the_querys() -> None:
    rows = stack_rows(
        folded_profile({"main@m.go:1;f@m.go:10": 1, "main@m.go:2;f@m.go:10": 5}), Query(granularity="lines")
    )
    assert set(paths(rows, grow(rows))) == {
        (),
        ("main m.go:1",),
        ("main m.go:2",),
        ("main m.go:1", "f m.go:10"),
        ("main m.go:2", "f m.go:10"),
    }


def test_empty_profile_is_a_lonely_root() -> None:
    for profile in (folded_profile({}), folded_profile({"main": 0}), folded_profile({"": 3})):
        rows = stack_rows(profile, Query())
        assert len(grow(rows)) == len(grow(rows, inverted=True)) == 1
        assert list(folded.lines(rows, 0)) == []


def test_a_stack_of_a_thousand_frames() -> None:
    stacks = {";".join(["f"] * 1024): 1, ";".join(["f"] * 1023 + ["g"]): 2}
    rows = stack_rows(folded_profile(stacks), Query())
    assert paths(rows, grow(rows)) == naive(stacks)


def test_unnamed_addresses_have_a_frame() -> None:
    profile = folded_profile({"main;x": 1})
    nameless = replace(
        profile.locations,
        line_starts=np.array([0, 0, 1], np.int64),
        line_function=profile.locations.line_function[1:],
        line_number=profile.locations.line_number[1:],
    )
    rows = stack_rows(replace(profile, locations=nameless), Query())
    assert paths(rows, grow(rows)) == naive({"main;<unknown>": 1})


# ---- folded stacks -------------------------------------------------------------------------------------------------


def test_folded_stacks_are_root_first_and_heaviest_first() -> None:
    assert list(folded.lines(stack_rows(folded_profile(SERVER), Query()), 0)) == [
        "main;serve;read 5",
        "main;gc;mark 4",
        "main;serve;write 3",
        "main;serve 2",
        "idle 1",
    ]


def test_folded_stacks_of_the_same_functions_are_one_line() -> None:
    rows = stack_rows(folded_profile({"main@m.go:1;f": 1, "main@m.go:2;f": 2}), Query())
    assert list(folded.lines(rows, 0)) == ["main;f 3"]


def test_folded_comparison_has_before_and_now() -> None:
    rows = stack_rows(folded_profile({"main;a": 7, "main;new": 1}), Query(), folded_profile({"main;a": 5, "gone": 2}))
    assert sorted(folded.lines(rows, 0)) == ["gone 2 0", "main;a 5 7", "main;new 0 1"]


def test_folded_names_cannot_break_a_line() -> None:
    hostile = renamed(folded_profile({"main;x": 1}), {"main": "ma;in\n9 8", "x": "x\r\u2028y"})
    (line,) = folded.lines(stack_rows(hostile, Query()), 0)
    assert line.splitlines() == [line]
    assert line.count(";") == 1


# ---- speedscope ----------------------------------------------------------------------------------------------------


def document(rows: StackRows, index: int = 0) -> dict[str, Any]:
    text: dict[str, Any] = json.loads("".join(speedscope.pieces(rows, "a title", index)))
    return text


def check_speedscope(text: dict[str, Any]) -> None:
    """Check what speedscope's file-format-schema.json asks of a sampled profile."""
    assert text["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = text["shared"]["frames"]
    assert all(isinstance(frame["name"], str) and frame.keys() <= {"name", "file", "line", "col"} for frame in frames)
    units = {"bytes", "microseconds", "milliseconds", "nanoseconds", "none", "seconds"}
    for profile in text["profiles"]:
        assert profile.keys() == {"type", "name", "unit", "startValue", "endValue", "samples", "weights"}
        assert profile["type"] == "sampled"
        assert profile["unit"] in units
        assert len(profile["samples"]) == len(profile["weights"])
        assert all(0 <= frame < len(frames) for sample in profile["samples"] for frame in sample)
        assert all(weight > 0 for weight in profile["weights"])
        assert profile["endValue"] - profile["startValue"] == sum(profile["weights"])
    assert 0 <= text["activeProfileIndex"] < len(text["profiles"])


def test_speedscope_has_a_profile_for_each_sample_type() -> None:
    rows = stack_rows(folded_profile({"main;a": (1, 512), "main;b+c": (0, 64)}, HEAP), Query())
    text = document(rows, index=1)
    check_speedscope(text)
    names = [frame["name"] for frame in text["shared"]["frames"]]
    objects, space = text["profiles"]
    assert (text["activeProfileIndex"], objects["unit"], space["unit"]) == (1, "none", "bytes")
    assert [[names[f] for f in sample] for sample in objects["samples"]] == [["main", "a"]]
    assert [[names[f] for f in sample] for sample in space["samples"]] == [["main", "a"], ["main", "b", "c"]]


def test_speedscope_of_a_comparison_has_no_negative_weights() -> None:
    rows = stack_rows(folded_profile({"main;a": 7}), Query(), folded_profile({"main;a": 5, "gone": 2}))
    text = document(rows)
    check_speedscope(text)
    assert [p["name"] for p in text["profiles"]] == ["samples (now)", "samples (before)"]


def test_speedscope_of_an_empty_profile() -> None:
    check_speedscope(document(stack_rows(folded_profile({}), Query())))


# ---- real profiles -------------------------------------------------------------------------------------------------


@pytest.mark.shared
@pytest.mark.slow
def test_totals_of_shared_profiles_survive() -> None:
    from oakum.collect import gather
    from oakum.parse import parse

    folder = need_shared() / "pprof"
    seen = 0
    for capture in gather([str(folder)]):
        for reading in parse(capture) if len(capture.data) < 200_000 else ():
            if reading.profile is None:
                continue
            profile = reading.profile
            rows = stack_rows(profile, Query())
            with_frames = np.diff(profile.stacks.starts)[profile.stack_ids] > 0
            totals = profile.values[:, with_frames].sum(axis=1)
            for inverted in (False, True):
                tree = grow(rows, inverted, 0.0002)
                sides = tree.cum[0, :, 0] - (tree.cum[1, :, 0] if rows.compared else 0)
                assert sides.tolist() == totals.tolist(), capture.origin
                assert (tree.flat() >= 0).all(), capture.origin
            seen += 1
    assert seen > 80


def test_values_beyond_53_bits_are_exact() -> None:
    stacks = {"main;a": 2**60 + 1, "main;b": 2**60 + 3}
    rows = stack_rows(folded_profile(stacks, (ValueType("space", "bytes"),)), Query())
    assert paths(rows, grow(rows)) == naive(stacks)
