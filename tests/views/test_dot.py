"""The call graph and its DOT text: choice of nodes, arrows, labels, escapes; and the real pprof beside it."""

import re
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from folded_profile import HEAP, folded_profile, renamed
from oakum.model import Profile, UsageError, ValueType
from oakum.views import dot
from oakum.views.callgraph import CallGraph, call_graph, document
from oakum.views.proto import encode
from oakum.views.query import Query
from support import need_shared, need_tool

ALL = Query(nodefraction=0.0, edgefraction=0.0)


def text(profile: Profile, query: Query = ALL) -> str:
    return "\n".join(dot.lines(call_graph(profile, query)))


def names(graph: CallGraph) -> list[str]:
    return [graph.shown.nodes.printable(node) for node in graph.shown.order]


def arrows(graph: CallGraph) -> dict[tuple[str, str], tuple[int, bool]]:
    printable = graph.shown.nodes.printable
    return {(printable(c.caller), printable(c.callee)): (c.weight, c.residual) for c in graph.calls}


def test_boxes_and_arrows_weigh_what_pprof_says() -> None:
    graph = call_graph(folded_profile({"main;serve;read": 5, "main;serve": 2, "main;serve;read;serve": 1}), ALL)
    assert arrows(graph) == {
        ("main", "serve"): (8, False),
        ("serve", "read"): (6, False),
        ("read", "serve"): (1, False),
    }
    assert set(names(graph)) == {"main", "serve", "read"}
    lines = "\n".join(dot.lines(graph))
    assert 'label="main\\n0 of 8 (100%)"' in lines
    assert 'label="serve\\n3 (37.50%)\\nof 8 (100%)"' in lines


def test_a_light_node_is_bridged_by_a_dashed_arrow() -> None:
    stacks = {f"main;m{i};leaf": 10 for i in range(30)} | {"main;heavy;leaf": 700}
    graph = call_graph(folded_profile(stacks), Query(nodefraction=0.05, edgefraction=0.0))
    assert set(names(graph)) == {"main", "heavy", "leaf"}
    assert graph.shown.dropped_nodes == 30
    # A way leads from main to leaf without it, so the bridge goes ...
    assert ("main", "leaf") not in arrows(graph)
    # ... and stays where it is the only one.
    lonely = call_graph(folded_profile({f"main;m{i};leaf": 10 for i in range(30)}), Query(nodefraction=0.05))
    assert arrows(lonely) == {("main", "leaf"): (300, True)}
    assert 'style="dashed"' in "\n".join(dot.lines(lonely))


def test_nodecount_keeps_what_branches() -> None:
    stacks = {"main;pass;split;left": 5, "main;pass;split;right": 5}
    graph = call_graph(folded_profile(stacks), replace(ALL, nodecount=4))
    assert set(names(graph)) == {"main", "split", "left", "right"}  # `pass` only hands on
    assert arrows(graph)[("main", "split")] == (10, True)
    assert graph.shown.before == 5
    assert "Showing top 4 nodes out of 5" in text(folded_profile(stacks), replace(ALL, nodecount=4))


def test_inlined_calls_are_marked() -> None:
    assert '"\\n (inline)' not in text(folded_profile({"main;a;b": 1}))
    assert " 1\\n (inline)" in text(folded_profile({"main;a+b": 1}))


def test_call_tree_keeps_ways_apart() -> None:
    stacks = {"main;left;leaf": 3, "main;right;leaf": 4}
    assert sorted(names(call_graph(folded_profile(stacks), ALL))) == ["leaf", "left", "main", "right"]
    graph = call_graph(folded_profile(stacks), replace(ALL, call_tree=True))
    assert sorted(names(graph)) == ["leaf", "leaf", "left", "main", "right"]
    assert sorted(c.weight for c in graph.calls) == [3, 3, 4, 4]
    with pytest.raises(UsageError, match="call_tree"):
        call_graph(folded_profile(stacks), replace(ALL, call_tree=True, mean=True))


def test_labels_have_boxes_of_their_own() -> None:
    profile = folded_profile(
        [
            ("main;alloc", (1, 64), (("bytes", 64),)),
            ("main;alloc", (2, 64), (("bytes", 32),)),
            ("main;alloc", (1, 10), (("handler", "/login"),)),
        ],
        HEAP,
    )
    lines = text(profile).splitlines()
    boxes = {found[1]: found[2] for line in lines if (found := re.match(r'(N\S+) \[label="([^"]*)".*box3d', line))}
    assert sorted(boxes.values()) == ["32B", "64B", "handler:/login"]
    assert any("-> N" in line and 'label=" 64B"' in line for line in lines)


def test_many_sizes_become_four_ranges() -> None:
    samples = [("main;alloc", (1, size), (("bytes", size),)) for size in range(1, 40)]
    boxes = [line for line in text(folded_profile(samples, HEAP)).splitlines() if "box3d" in line]
    assert len(boxes) == 4
    assert any(
        'label="1B..36B"' in box for box in boxes
    )  # the heaviest four are 36 to 39; all others are nearest to 36


@pytest.mark.parametrize(
    ("function", "short"),
    [
        ("github.com/x/y.(*T).M", "y.(*T).M"),
        ("github.com/x/y/v2.(*T).M", "y.(*T).M"),
        ("github.com/x/y/v12/z.F", "z.F"),
        ("net/http.(*conn).serve", "http.(*conn).serve"),
        ("main.main", "main.main"),
        ("java.util.concurrent.ThreadPoolExecutor.runWorker(Worker)", "ThreadPoolExecutor.runWorker"),
        ("base::internal::RunnableAdapter::Run", "RunnableAdapter::Run"),
        ("(anonymous namespace)::Bar::Foo", "Bar::Foo"),
        ("", ""),
    ],
)
def test_names_are_shortened_as_pprof_does(function: str, short: str) -> None:
    assert dot.shortened(function) == short


HOSTILE = ('"]; N9 [label="x', "\\N\\G\\E\\", "a\nb\x00c\x1b[31m", "<b>bold</b>", "&lt;script&gt;", "x" * 100_000, "\\")


@pytest.mark.parametrize("name", HOSTILE)
def test_names_cannot_leave_their_quotes(name: str) -> None:
    lines = text(renamed(folded_profile({"main;x": 1}), {"x": name})).splitlines()
    assert sum(line.startswith("N") for line in lines) == 3
    for line in lines:
        quoted = re.sub(r'"(?:[^"\\]|\\.)*"', "", line)
        assert '"' not in quoted
        assert not re.search(r"[\x00-\x09\x0b-\x1f]", line)
        assert len(line) < 10_000


def test_colours_differ_for_all_eyes() -> None:
    assert dot.colour(0.0) == "#b2b2b2"
    assert dot.colour(1.0) == "#b20000"  # as pprof
    assert dot.colour(-1.0) == "#0059b2"  # blue, where pprof has green
    assert dot.colour(0.5, background=True).startswith("#ed")


def test_comparison_names_its_colours() -> None:
    assert "Blue: less" in text(folded_profile({"main;a": 7, "main;b": -2}))
    assert "Blue: less" not in text(folded_profile({"main;a": 7}))


def test_empty_profile_is_a_graph_with_a_legend() -> None:
    lines = text(folded_profile({}, (ValueType("space", "bytes"),))).splitlines()
    assert lines[0] == 'digraph "unnamed" {'
    assert lines[-1] == "}"
    assert not any(line.startswith("N") for line in lines)


def test_document_has_nodes_and_edges() -> None:
    shown = document(call_graph(folded_profile({"main;a": 7}), ALL))
    assert shown["total"] == 7
    assert {node["name"]: (node["flat"], node["cum"]) for node in shown["nodes"]} == {"main": (0, 7), "a": (7, 7)}
    (edge,) = shown["edges"]
    assert (shown["nodes"][edge["caller"]]["name"], shown["nodes"][edge["callee"]]["name"]) == ("main", "a")


def test_graphviz_draws_hostile_names(tmp_path: Path) -> None:
    program = need_tool("dot", "graphviz")
    stacks = {f"main;x{i}": i + 1 for i in range(len(HOSTILE))}
    profile = renamed(folded_profile(stacks), {f"x{i}": name for i, name in enumerate(HOSTILE)})
    drawn = subprocess.run(
        [program, "-Tsvg"], input=text(profile).encode(), capture_output=True, timeout=60, check=True
    )
    assert drawn.stderr == b""
    assert b"&lt;b&gt;bold" in drawn.stdout
    assert b"<script" not in drawn.stdout


# ---- beside pprof --------------------------------------------------------------------------------------------------


def normal(lines: list[str]) -> list[str]:
    """Return the boxes and arrows without what is ours on purpose: blue, dashes, an escaped &, the legend's last lines."""
    kept = [line for line in lines if not line.startswith(("digraph", "node [", "edge [", "subgraph"))]
    kept = [re.sub(r' (?:color|fillcolor)="[^"]*"', "", line) for line in kept]
    return [line.replace("label = ", "label=").replace("dotted", "dashed").replace("&amp;", "&") for line in kept]


def assert_as_pprof(profile: Profile, query: Query, file: Path, *flags: str) -> None:
    go = need_tool("go", "golang-go")
    theirs = subprocess.run(
        [go, "tool", "pprof", *flags, "-dot", str(file)], capture_output=True, timeout=60, check=True
    )
    ours = list(dot.lines(call_graph(profile, query)))
    assert normal(ours) == normal(theirs.stdout.decode("utf-8", "replace").splitlines()), file.name


@pytest.mark.peer
def test_made_profiles_are_drawn_as_pprof_does(tmp_path: Path) -> None:
    chains = {f"main;serve{i % 7};handle{i % 23};work{i};leaf{i % 5}": (1 + i % 3, 64 * (i + 1)) for i in range(300)}
    labelled = [(stack, value, (("bytes", 1 << (i % 9)),)) for i, (stack, value) in enumerate(chains.items())]
    for profile in (folded_profile(chains, HEAP), folded_profile(labelled, HEAP)):
        file = tmp_path / "profile.pb.gz"
        file.write_bytes(encode(profile))
        assert_as_pprof(profile, Query(), file)
        assert_as_pprof(profile, Query(nodecount=20), file, "-nodecount=20")
        assert_as_pprof(profile, Query(sample_index="inuse_objects"), file, "-sample_index=inuse_objects")


@pytest.mark.peer
@pytest.mark.shared
def test_shared_profiles_are_drawn_as_pprof_does() -> None:
    from oakum.collect import gather
    from oakum.parse import parse
    from oakum.views.transform import fetched

    folder = need_shared() / "pprof" / "go"
    compared = 0
    for capture in gather([str(folder)]):
        (first, *more) = parse(capture)
        if more or first.profile is None or first.format != "pprof" or (first.profile.values < 0).any():
            continue
        assert_as_pprof(fetched(first.profile), Query(), Path(capture.origin))
        compared += 1
        if compared == 20:  # each takes pprof a third of a second
            break
    assert compared == 20
