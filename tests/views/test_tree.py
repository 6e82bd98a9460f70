import pytest

from handmade import profile
from oakum.model import UsageError
from oakum.views import tree
from oakum.views.query import Query

CALLS = profile([("leaf<mid main", (6,)), ("leaf other main", (3,)), ("other main", (1,)), ("small main", (0,))])
RULE = "----------------------------------------------------------+-------------"
HEAD = "      flat  flat%   sum%        cum   cum%   calls calls% + context \t \t "


def test_callers_stand_above_and_callees_below() -> None:
    assert list(tree.lines(tree.tree(CALLS, Query()))) == [
        "Type: samples",
        "Showing nodes accounting for 10, 100% of 10 total",
        RULE,
        HEAD,
        RULE,
        "                                                 6 66.67% |   mid (inline)",
        "                                                 3 33.33% |   other",
        "         9 90.00% 90.00%          9 90.00%                | leaf",
        RULE,
        "                                                 4   100% |   main",
        "         1 10.00%   100%          4 40.00%                | other",
        "                                                 3 75.00% |   leaf",
        RULE,
        "         0     0%   100%         10   100%                | main",
        "                                                 6 60.00% |   mid",
        "                                                 4 40.00% |   other",
        RULE,
        "                                                 6   100% |   main",
        "         0     0%   100%          6 60.00%                | mid",
        "                                                 6   100% |   leaf (inline)",
        RULE,
    ]


def test_edges_bridge_what_is_left_out() -> None:
    made = tree.document(tree.tree(CALLS, Query(nodecount=1, sort="cum")))
    assert [node["name"] for node in made["nodes"]] == ["main"]
    made = tree.document(tree.tree(CALLS, Query(hide="", nodecount=2, sort="cum")))
    assert made["nodes"][0]["callees"] == [{"name": "leaf", "weight": 9, "inline": False, "residual": True}]


def test_light_edges_are_left_out() -> None:
    made = tree.tree(CALLS, Query(edgefraction=0.4))
    assert {entry.name: [call.name for call in entry.callers] for entry in made.entries} == {
        "leaf": ["mid"], "other": ["main"], "main": [], "mid": ["main"],
    }  # fmt: skip


def test_peek_shows_only_what_matches_with_all_neighbours() -> None:
    made = tree.peek(CALLS, Query(nodefraction=0.9), "^other$")
    assert [entry.name for entry in made.entries] == ["other"]
    assert [call.name for call in made.entries[0].callees] == ["leaf"]
    assert list(tree.lines(made))[-4:] == [
        "                                                 4   100% |   main",
        "         1 10.00% 10.00%          4 40.00%                | other",
        "                                                 3 75.00% |   leaf",
        RULE,
    ]
    assert tree.document(made, "peek")["view"] == "peek"


def test_peek_refuses_what_nothing_matches() -> None:
    with pytest.raises(UsageError, match="no function in the profile matches nope"):
        tree.peek(CALLS, Query(), "nope")
    with pytest.raises(UsageError, match="-peek="):
        tree.peek(CALLS, Query(), "(")
