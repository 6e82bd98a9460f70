from handmade import profile
from oakum.views.query import Query
from oakum.views.traces import document, lines, traces

RULE = "-----------+-------------------------------------------------------"
MADE = profile(
    [
        ("inner<outer main", (2, 3 << 20), {"user": ["ann", "bob"], "a long key here": "x", "bytes": [(64, "bytes"), 2048]}),
        ("", (1, 1)),
        ("main", (1, 512)),
    ],
    ("inuse_objects/count", "inuse_space/bytes"),
)  # fmt: skip


def text(query: Query) -> list[str]:
    return "\n".join(lines(traces(MADE, query))).split("\n")


def test_samples_read_as_in_pprof() -> None:
    assert text(Query()) == [
        "Type: inuse_space",
        RULE,
        "      user:  ann bob",
        "a long key here:  x",
        "     bytes:  64B 2kB",
        "       3MB   inner (inline)",
        "             outer",
        "             main",
        RULE,
        "      512B   main",
        RULE,
    ]


def test_mean_divides_each_sample() -> None:
    shown = text(Query(mean=True))
    assert "    1.50MB   inner (inline)" in shown
    assert shown[0] == "Type: mean_inuse_space"


def test_values_for_json() -> None:
    made = document(traces(MADE, Query(focus="outer")))
    assert made["total"] == (3 << 20) + 1 + 512
    assert made["traces"] == [
        {
            "value": 3 << 20,
            "labels": {"user": "ann bob", "a long key here": "x", "bytes": "64B 2kB"},
            "frames": [
                {"name": "inner", "inlined": True},
                {"name": "outer", "inlined": False},
                {"name": "main", "inlined": False},
            ],
        }
    ]
