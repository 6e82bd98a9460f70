from collections import Counter
from importlib.resources import files

import pytest
from msgspec.structs import replace

from handmade import profile, stacks_of
from oakum.model import Capture, Mapping, Profile, UsageError, normal_function
from oakum.parse import parse
from oakum.views.query import Query
from oakum.views.transform import fetched, filtered, without_inlines

CALLS = [("a b main", (1,)), ("c b main", (2,)), ("d main", (4,)), ("x<y<b main", (8,))]


def shown(query: Query, made: Profile | None = None) -> list[tuple[str, int]]:
    return stacks_of(filtered(made or profile(CALLS), query, {})[0])


def test_focus_keeps_whole_stacks_with_a_match() -> None:
    assert shown(Query(focus="^b$")) == [("a b main", 1), ("c b main", 2), ("x<y<b main", 8)]


def test_ignore_wins_over_focus() -> None:
    assert shown(Query(focus="^b$", ignore="^[ax]$")) == [("c b main", 2)]


def test_hide_takes_frames_out_and_inlined_lines_one_by_one() -> None:
    assert shown(Query(hide="^[by]$")) == [("a main", 1), ("c main", 2), ("d main", 4), ("x main", 8)]


def test_a_stack_of_which_nothing_remains_is_gone() -> None:
    assert shown(Query(hide="^(d|main)$")) == [("a b", 1), ("c b", 2), ("x<y<b", 8)]


def test_show_keeps_only_matching_frames() -> None:
    assert shown(Query(show="^[bd]$")) == [("b", 1), ("b", 2), ("d", 4), ("b", 8)]


def test_show_from_cuts_above_the_highest_match() -> None:
    made = profile([("b c b a", (1,)), ("x<b<y main", (2,)), ("z main", (4,))])
    assert shown(Query(show_from="^b$"), made) == [("b c b", 1), ("x<b", 2)]


def test_prune_from_cuts_below_the_lowest_match() -> None:
    made = profile([("a b c b d", (1,)), ("x<b<y main", (2,)), ("z main", (4,))])
    assert shown(Query(prune_from="^b$"), made) == [("b c b d", 1), ("b<y main", 2), ("z main", 4)]


def test_names_files_and_binaries_match() -> None:
    made = profile([("f@net/http/x.go:1 main@m.go:2", (1,)), ("g@m.go:3", (2,))])
    assert shown(Query(focus="http"), made) == [("f main", 1)]
    in_binary = profile(CALLS, mappings=[Mapping(file="/bin/app")])
    assert len(shown(Query(focus="/bin/app"), in_binary)) == 4
    assert shown(Query(hide="/bin/app"), in_binary) == []


def test_what_matches_nothing_is_said() -> None:
    query = Query(focus="zz", ignore="zz", hide="zz", show="zz", show_from="zz", tagfocus="zz", taghide="zz")
    _, remarks = filtered(profile(CALLS), query, {})
    words = [remark.split()[0] for remark in remarks]
    assert words == ["Focus", "Ignore", "Hide", "Show", "ShowFrom", "TagFocus", "TagHide"]


def test_a_bad_expression_names_its_flag() -> None:
    with pytest.raises(UsageError, match="-show_from"):
        shown(Query(show_from="("))


def test_uninteresting_frames_go_from_the_first_one_below_the_program() -> None:
    made = profile([("malloc new work main", (1,)), ("work malloc main", (2,)), ("malloc start", (4,))])
    assert stacks_of(fetched(replace(made, drop_frames="malloc|new"))) == [
        ("work main", 1),
        ("main", 2),
        ("start", 4),
    ]


def test_uninteresting_frames_at_the_root_stay() -> None:
    made = profile([("work malloc", (1,)), ("malloc", (2,))])
    assert stacks_of(fetched(replace(made, drop_frames="malloc"))) == [("work malloc", 1), ("malloc", 2)]


def test_keep_frames_are_exempt_and_inlined_callers_remain() -> None:
    made = profile([("malloc_keep work main", (1,)), ("malloc<wrap main", (2,))])
    pruned = fetched(replace(made, drop_frames="malloc.*", keep_frames="malloc_keep"))
    assert stacks_of(pruned) == [("malloc_keep work main", 1), ("wrap main", 2)]


def test_a_bad_drop_expression_prunes_nothing() -> None:
    made = replace(profile(CALLS), drop_frames="(")
    assert stacks_of(fetched(made)) == stacks_of(made)


HIDDEN = [
    ("0x10 0x20 f main 0x90", (1,)),
    ("runtime.mallocgc runtime.main 0x90", (2,)),
    ("runtime.mallocgc 0x20 f main 0x90", (4,)),
    ("0x10 0x20", (8,)),
    ("0x10 f 0x30 main", (16,)),
    ("", (32,)),
]


def test_frames_that_a_text_leaves_unnamed_at_the_ends_go_where_others_are_named() -> None:
    made = profile(HIDDEN, extra={"hidden_leaves": True})
    assert stacks_of(fetched(made)) == [
        ("f main", 1),
        ("runtime.mallocgc runtime.main", 2),
        ("runtime.mallocgc f main", 4),
        ("0x10 0x20", 8),
        ("f 0x30 main", 16),
        ("", 32),
    ]
    dropping = fetched(replace(made, drop_frames=r"runtime\.mallocgc"))
    assert stacks_of(dropping)[:3] == [("f main", 1), ("runtime.main", 2), ("f main", 4)]
    assert stacks_of(fetched(fetched(made))) == stacks_of(fetched(made))


def test_frames_without_a_name_stay_in_any_other_profile() -> None:
    made = profile(HIDDEN)
    assert stacks_of(fetched(made)) == stacks_of(made)
    empty = profile([], extra={"hidden_leaves": True})
    assert stacks_of(fetched(empty)) == []


def test_text_and_protobuf_of_one_heap_have_the_same_leaves() -> None:
    def leaves(name: str) -> dict[str, int]:
        (reading,) = parse(Capture(name, (files("oakum.cli") / "demo_evidence" / name).read_bytes()))
        assert reading.profile is not None
        made = fetched(reading.profile)
        found: Counter[str] = Counter()
        for stack, space in zip(made.stack_ids.tolist(), made.values[-1].tolist(), strict=True):
            found[normal_function(made.stack(stack).frames[0].function)] += space
        return {name: space for name, space in found.items() if space}

    text = leaves("after.heap.txt.gz")
    assert max(text, key=lambda name: text[name]) == "main.newPage"
    assert text == leaves("after.heap.pb.gz")


def test_without_inlines_only_the_outermost_line_stays() -> None:
    assert stacks_of(without_inlines(profile(CALLS)))[-1] == ("b main", 8)


def test_what_comes_in_is_not_changed() -> None:
    made = profile(CALLS)
    before = stacks_of(made)
    shown(Query(focus="b", hide="y", show_from="b", prune_from="a"), made)
    assert stacks_of(made) == before
