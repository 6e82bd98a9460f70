import pytest

from handmade import profile, stacks_of
from oakum.model import UsageError
from oakum.views.query import Query
from oakum.views.tagframes import with_tag_frames
from oakum.views.tags import filtered, number_units

LABELLED = profile(
    [
        ("a main", (1,), {"user": "ann", "bytes": (512, "bytes")}),
        ("b main", (2,), {"user": "bob", "bytes": (4096, "bytes")}),
        ("c main", (4,), {"user": ["ann", "eve"], "request": 8}),
        ("d main", (8,)),
    ]
)


def kept(query: Query) -> str:
    remarks: list[str] = []
    return " ".join(stack[0] for stack, _ in stacks_of(filtered(LABELLED, query, number_units(LABELLED), remarks)))


@pytest.mark.parametrize(
    ("expression", "samples"),
    [
        ("user:ann", "a c"),
        ("ann", "a c"),
        ("ann,eve", "c"),
        ("user=ann", "a c"),
        ("user=bob,eve", "b c"),
        ("key=ann", ""),
        ("512b", "a"),
        ("1kb:", "b"),
        (":1kb", "a c"),
        ("bytes=:1kb", "a"),
        ("512b:4kb", "a b"),
        ("request=8b", "c"),
        ("request=8", ""),
    ],
)
def test_tagfocus(expression: str, samples: str) -> None:
    assert kept(Query(tagfocus=expression)) == samples


def test_tagignore_leaves_out_what_tagfocus_keeps() -> None:
    assert kept(Query(tagignore="user=ann")) == "b d"
    assert kept(Query(tagfocus="user=.*", tagignore="eve")) == "a b"


def test_a_range_is_said_to_be_one() -> None:
    remarks: list[str] = []
    filtered(LABELLED, Query(tagfocus="1kb:2kb"), number_units(LABELLED), remarks)
    assert remarks == ["tagfocus:Interpreted '1kb:2kb' as range, not regexp", "TagFocus expression matched no samples"]


def test_a_bad_expression_names_its_flag() -> None:
    with pytest.raises(UsageError, match="-tagignore"):
        kept(Query(tagignore="user=("))


def test_tagshow_and_taghide_choose_labels() -> None:
    remarks: list[str] = []
    shown = filtered(LABELLED, Query(tagshow="user|bytes", taghide="^b"), {}, remarks)
    assert [label.key for label in shown.labels(int(shown.label_ids[0]))] == ["user"]
    assert shown.samples == LABELLED.samples
    assert remarks == []


def test_units_are_given_or_guessed() -> None:
    assert number_units(LABELLED) == {"bytes": "bytes", "request": "bytes"}
    assert number_units(profile([("a", (1,), {"pid": 3})])) == {"pid": "pid"}
    assert number_units(profile([("a", (1,))])) == {}


def test_labels_become_frames() -> None:
    made, remarks = with_tag_frames(LABELLED, Query(tagroot="user,bytes", tagleaf="request"))
    assert [stack for stack, _ in stacks_of(made)] == [
        " a main 512B ann",
        " b main 4kB bob",
        "8 c main  ann,eve",
        " d main  ",
    ]
    assert remarks == ()
    assert with_tag_frames(LABELLED, Query()) == (LABELLED, ())
    assert with_tag_frames(LABELLED, Query(tagroot="nope"))[1] == ("TagRoot expression matched no samples",)
