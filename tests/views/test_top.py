import pytest
from msgspec.structs import replace

from handmade import profile
from oakum.model import Mapping, Profile, UsageError
from oakum.views.look import Look
from oakum.views.query import Query
from oakum.views.top import document, lines, top

HEAP = profile(
    [
        ("alloc<grow main", (1, 1 << 20)),
        ("alloc main", (2, 3 << 20)),
        ("tiny main", (1, 1)),
        ("free main", (0, 0)),
    ],
    ("inuse_objects/count", "inuse_space/bytes"),
    mappings=[Mapping(file="/usr/bin/app", build_id="abc")],
    comments=("built by hand", "#hidden"),
    duration_nanos=2_000_000_000,
    doc_url="https://example.com/heap",
)


def text(made: Profile, query: Query | None = None) -> str:
    return "\n".join(lines(top(made, query or Query())))


def test_the_list_reads_as_in_pprof() -> None:
    assert text(HEAP) == (
        "File: app\n"
        "Build ID: abc\n"
        "built by hand\n"
        "Type: inuse_space\n"
        "Doc: https://example.com/heap\n"
        "Duration: 2s, Total samples = 4MB \n"
        "Showing nodes accounting for 4MB, 100% of 4MB total\n"
        "Dropped 1 node (cum <= 0.02MB)\n"
        "      flat  flat%   sum%        cum   cum%\n"
        "       4MB   100%   100%        4MB   100%  alloc (partial-inline)\n"
        "         0     0%   100%        1MB 25.00%  grow\n"
        "         0     0%   100%        4MB   100%  main"
    )


def test_nodecount_says_how_many_there_are() -> None:
    shown = text(HEAP, Query(nodecount=1, sample_index="inuse_objects", compact_labels=True))
    assert shown.splitlines() == [
        "Showing nodes accounting for 3, 75.00% of 4 total",
        "Showing top 1 nodes out of 4",
        "      flat  flat%   sum%        cum   cum%",
        "         3 75.00% 75.00%          3 75.00%  alloc",
    ]


def test_cum_sorts_by_what_lies_below() -> None:
    rows = top(HEAP, Query(sort="cum", nodefraction=0)).rows
    assert [row.name for row in rows] == ["main", "alloc", "grow", "tiny"]


def test_filters_are_said_and_percentages_stay_those_of_the_whole() -> None:
    shown = text(HEAP, Query(focus="grow", unit="kb", compact_labels=True)).splitlines()
    assert shown[:3] == [
        "Active filters:",
        "   focus=grow",
        "Showing nodes accounting for 1024kB, 25.00% of 4096kB total",
    ]
    relative = text(HEAP, Query(focus="grow", relative_percentages=True, compact_labels=True)).splitlines()
    assert relative[2] == "Showing nodes accounting for 1MB, 100% of 1MB total"


def test_a_long_filter_is_cut() -> None:
    assert f"   focus={'x' * 74}…" in text(HEAP, Query(focus="x" * 100)).splitlines()


def test_negative_values_can_be_left_out() -> None:
    made = profile([("less main", (-3,)), ("more main", (5,))])
    assert [row.name for row in top(made, Query()).rows] == ["more", "less", "main"]
    assert [row.name for row in top(made, Query(drop_negative=True)).rows] == ["more", "main"]


def test_values_are_divided() -> None:
    made = profile([("a", (10,))])
    assert "         3   100%   100%          3   100%  a" in text(made, Query(divide_by=3))
    with pytest.raises(UsageError, match="divide_by"):
        text(made, Query(divide_by=0))


def test_an_empty_profile_is_a_list_of_nothing() -> None:
    assert text(profile([])).splitlines() == [
        "Type: samples",
        "Showing nodes accounting for 0, 0% of 0 total",
        "      flat  flat%   sum%        cum   cum%",
    ]


def test_a_time_no_calendar_reaches_is_no_error() -> None:
    assert "Time: " in text(replace(HEAP, time_nanos=2**63 - 1))
    assert "Time: " in text(replace(HEAP, time_nanos=-(2**63)))


def test_values_for_json_are_whole_numbers() -> None:
    made = document(top(HEAP, Query(granularity="lines")))
    assert made["view"] == "top"
    assert (made["sample_type"], made["unit"], made["total"]) == ("inuse_space", "bytes", 4 * 1024 * 1024 + 1)
    assert made["nodes"][0] == {
        "name": "alloc", "function": "alloc", "inlined": "partial-inline", "flat": 4 << 20, "cum": 4 << 20,
    }  # fmt: skip


def test_the_look_dresses_shares_and_names() -> None:
    look = Look(share=lambda text, value, total: f"<{text.strip()}>", name=lambda name, taken, mark: name.upper())
    assert [line for line in lines(top(HEAP, Query()), look) if "MAIN" in line] == [
        "<0     0%>   100% <4MB   100%>  MAIN"
    ]
