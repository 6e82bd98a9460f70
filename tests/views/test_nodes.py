import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import force_setattr

from handmade import Sample, address, profile
from oakum.model import Mapping, Profile
from oakum.views import nodes as counting
from oakum.views.edges import edges_of
from oakum.views.nodes import clean_path, count, divided, identify, sums
from oakum.views.query import Granularity, Query


def counted(made: Profile, query: Query | None = None) -> dict[str, tuple[int, int]]:
    """Return flat and cum by printed name, without nodes that weigh nothing."""
    nodes = count(made, query or Query(), made.values[0])
    return {
        nodes.printable(n): (nodes.flat_value(n), nodes.cum_value(n))
        for n in range(len(nodes))
        if nodes.flat[n] or nodes.cum[n]
    }


def test_flat_is_the_leaf_and_cum_the_whole_stack() -> None:
    assert counted(profile([("a b main", (3,)), ("b main", (4,))])) == {"a": (3, 3), "b": (4, 7), "main": (0, 7)}


def test_recursion_counts_once() -> None:
    assert counted(profile([("f g f g f main", (5,))])) == {"f": (5, 5), "g": (0, 5), "main": (0, 5)}


def test_inlined_lines_are_frames_of_their_own() -> None:
    made = profile([("inner<outer main", (2,))])
    assert counted(made) == {"inner": (2, 2), "outer": (0, 2), "main": (0, 2)}
    assert counted(made, Query(noinlines=True)) == {"outer": (2, 2), "main": (0, 2)}


def test_granularities() -> None:
    made = profile([("f@x.go:1 f@x.go:2 main@y.go:9", (2,)), ("f@x.go:2 main@y.go:9", (1,))])

    def at(granularity: Granularity) -> dict[str, tuple[int, int]]:
        return counted(made, Query(granularity=granularity))

    assert at("functions") == {"f": (3, 3), "main": (0, 3)}
    assert at("filefunctions") == {"f x.go": (3, 3), "main y.go": (0, 3)}
    assert at("files") == {"x.go": (3, 3), "y.go": (0, 3)}
    assert at("lines") == {"f x.go:1": (2, 2), "f x.go:2": (1, 3), "main y.go:9": (0, 3)}
    assert at("addresses") == {
        f"{address('f@x.go:1'):016x} f x.go:1": (2, 2),
        f"{address('f@x.go:2'):016x} f x.go:2": (1, 3),
        f"{address('main@y.go:9'):016x} main y.go:9": (0, 3),
    }


def test_unnamed_addresses_are_called_by_their_binary() -> None:
    assert counted(profile([("0x10 0x20 main", (1,))])) == {"<unknown>": (1, 1), "main": (0, 1)}
    in_binary = profile([("0x10 main", (1,))], mappings=[Mapping(file="/usr/bin/app")])
    assert counted(in_binary) == {"[app]": (1, 1), "main": (0, 1)}


def test_a_stack_without_frames_counts_nowhere() -> None:
    assert counted(profile([("", (7,)), ("a", (1,))])) == {"a": (1, 1)}
    assert counted(profile([])) == {}


def test_sums_are_exact_beyond_what_floats_hold() -> None:
    weights = np.array([2**61 + 1, -(2**60) - 3, 2**53 + 1, 1], np.int64)
    groups = np.array([0, 0, 1, 1])
    assert sums(groups, weights, 3).tolist() == [2**60 - 2, 2**53 + 2, 0]


def test_mean_divides_as_go_does() -> None:
    assert [divided(7, 2), divided(-7, 2), divided(7, -2), divided(5, 0)] == [3, -3, -3, 5]
    made = profile([("a main", (2, 7)), ("a main", (1, 3))], ("count/count", "delay/ns"))
    nodes = count(made, Query(), made.values[1], made.values[0])
    assert {nodes.printable(n): nodes.cum_value(n) for n in range(len(nodes))} == {"a": 3, "main": 3}


def test_paths_are_trimmed_as_in_pprof() -> None:
    assert clean_path("/proc/self/cwd/a/./b.go", Query()) == "a/b.go"
    assert clean_path("//x/../y.go", Query()) == "/y.go"
    assert clean_path("/build/app/x.go", Query(trim_path="/nope:/build")) == "app/x.go"
    assert clean_path("/far/app/x/y.go", Query(source_path="/home/me/app")) == "x/y.go"
    assert clean_path("", Query()) == ""


def test_equal_names_in_the_table_are_one_node() -> None:
    made = profile([("a main", (1,)), ("b main", (2,))])
    doubled = profile([("a main", (1,)), ("b main", (2,))])
    texts = ["a" if text == "b" else text for text in made.strings]
    force_setattr(doubled, "strings", type(made.strings).of(texts))
    assert counted(doubled) == {"a": (3, 3), "main": (0, 3)}


WORDS = st.sampled_from(["a", "b", "c", "d", "e<f", "a<b", "g<c<a", "0x9"])
STACKS = st.lists(WORDS, max_size=7).map(" ".join)
SAMPLES = st.lists(st.tuples(STACKS, st.tuples(st.integers(-9, 9))), max_size=12)


@settings(max_examples=150, deadline=None)
@given(samples=SAMPLES, left_out=st.sets(st.sampled_from("abcdefg")), at_once=st.sampled_from([1, 5, 1 << 19]))
def test_numbers_equal_those_of_a_plain_loop(samples: list[Sample], left_out: set[str], at_once: int) -> None:
    made = profile(samples)
    before, counting._FRAMES_AT_ONCE = counting._FRAMES_AT_ONCE, at_once
    try:
        nodes = count(made, Query(), made.values[0])
        kept = np.array([nodes.printable(n) not in left_out for n in range(len(nodes))], np.bool_)
        weights, active = made.values[0], made.values[0] != 0
        edges = edges_of(nodes, weights, active, kept) if len(nodes) else None
    finally:
        counting._FRAMES_AT_ONCE = before
    flat, cum, calls = slowly(samples, left_out)
    assert {nodes.printable(n): int(nodes.flat[n]) for n in range(len(nodes)) if nodes.flat[n]} == flat
    assert {nodes.printable(n): int(nodes.cum[n]) for n in range(len(nodes)) if nodes.cum[n]} == cum
    found = {}
    for row in range(len(edges) if edges else 0):
        assert edges is not None
        ends = nodes.printable(int(edges.caller[row])), nodes.printable(int(edges.callee[row]))
        found[ends] = (int(edges.weight[row]), bool(edges.residual[row]), bool(edges.inline[row]))
    assert found == calls


def slowly(
    samples: list[Sample], left_out: set[str]
) -> tuple[dict[str, int], dict[str, int], dict[tuple[str, str], tuple[int, bool, bool]]]:
    """Return flat, cum and edges as pprof's own loop over samples makes them."""
    flat: dict[str, int] = {}
    cum: dict[str, int] = {}
    calls: dict[tuple[str, str], tuple[int, bool, bool]] = {}
    for stack, (weight,), *_ in samples:
        if not weight:
            continue
        frames = [
            ("<unknown>" if name.startswith("0x") else name, at < len(parts) - 1)
            for parts in (word.split("<") for word in stack.split())
            for at, name in enumerate(parts)
        ]
        for name in {name for name, _ in frames}:
            cum[name] = cum.get(name, 0) + weight
        if frames:
            flat[frames[0][0]] = flat.get(frames[0][0], 0) + weight
        seen: set[tuple[str, str]] = set()
        caller, residual = "", False
        for name, inlined in reversed(frames):
            if name in left_out:
                residual = True
                continue
            if caller and caller != name and (caller, name) not in seen:
                seen.add((caller, name))
                old = calls.get((caller, name), (0, False, True))
                calls[caller, name] = (old[0] + weight, old[1] or residual, old[2] and inlined)
            caller, residual = name, False
    return {k: v for k, v in flat.items() if v}, {k: v for k, v in cum.items() if v}, calls


def test_nodes_know_their_rows() -> None:
    nodes = identify(profile([("x<y z", (1,))]), Query())
    assert [nodes.printable(int(n)) for n in nodes.of_row] == ["x", "y", "z"]
    assert nodes.rows.inlined.tolist() == [True, False, False]
