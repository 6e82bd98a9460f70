import pytest

from handmade import profile
from oakum.model import UsageError
from oakum.views.query import Query, active_filters, sample_index

HEAP = profile([("a", (1, 2, 3, 4))], ("alloc_objects/count", "alloc_space/bytes", "inuse_objects/count", "inuse_space/bytes"))  # fmt: skip
OLD = profile([("a", (1, 2))], ("objects/count", "space/bytes"))


def test_a_value_is_chosen_by_name_and_number() -> None:
    assert sample_index(HEAP, "alloc_space") == 1
    assert sample_index(HEAP, "2") == 2
    assert sample_index(HEAP, "") == 3
    assert sample_index(OLD, "inuse_space") == 1


def test_the_profile_may_name_its_own_default() -> None:
    chosen = profile([("a", (1, 2))], ("x/count", "y/count"), default_sample_type="x")
    assert sample_index(chosen, "") == 0


@pytest.mark.parametrize("wanted", ["4", "-1", "bogus", "inuse"])
def test_an_unknown_value_is_refused_with_what_there_is(wanted: str) -> None:
    with pytest.raises(UsageError, match=r"range|alloc_objects, alloc_space, inuse_objects, inuse_space"):
        sample_index(HEAP, wanted)


def test_a_profile_without_values_is_refused() -> None:
    with pytest.raises(UsageError, match="no sample types"):
        sample_index(profile([], ()), "")


def test_each_view_trims_as_in_pprof() -> None:
    assert Query().fitted("top").nodecount == 0
    assert Query().fitted("tree").nodecount == 80
    assert Query(nodecount=5).fitted("tree").nodecount == 5
    assert Query(nodecount=5, trim=False).fitted("tree").nodecount == 0
    assert Query().fitted("peek").nodefraction == 0
    assert Query().fitted("list").granularity == "lines"


def test_filters_in_force_are_listed() -> None:
    assert active_filters(Query(tagfocus="x", focus="a")) == ("focus=a", "tagfocus=x")
