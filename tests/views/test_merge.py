import numpy as np
import pytest
from msgspec.structs import replace

from handmade import address, profile, stacks_of
from oakum.model import Mapping, Profile, UsageError, ValueType
from oakum.views.merge import merge, subtract
from oakum.views.query import Query
from oakum.views.report import report_of
from oakum.views.tags import is_base

ONE = profile([("a main", (1, 10)), ("b main", (2, 20), {"k": "v"})], ("n/count", "t/ns"), time_nanos=9, period=5)
TWO = profile([("b main", (4, 40), {"k": "v"}), ("a main", (8, 80), {"k": "v"})], ("n/count", "t/ns"), time_nanos=7)


def test_equal_samples_are_added_in_the_order_they_came() -> None:
    merged = merge([ONE, TWO])
    assert stacks_of(merged) == [("a main", 1), ("b main", 6), ("a main", 8)]
    assert merged.values[1].tolist() == [10, 60, 80]
    assert (merged.time_nanos, merged.period) == (7, 5)
    assert len(merged.functions) == 3


def test_one_profile_is_left_alone() -> None:
    assert merge([ONE]) is ONE


def test_subtracting_itself_leaves_nothing() -> None:
    assert subtract(ONE, ONE).samples == 0


def test_a_difference_keeps_what_changed() -> None:
    assert stacks_of(subtract(ONE, TWO)) == [("a main", 1), ("b main", -2), ("a main", -8)]


def test_diff_base_marks_its_samples_and_its_total_counts() -> None:
    difference = subtract(ONE, TWO, diff=True)
    marked = is_base(difference)
    assert marked is not None
    assert difference.values[0][marked].tolist() == [-4, -8]
    assert report_of(difference, Query(sample_index="n")).total == 12
    assert report_of(subtract(ONE, TWO), Query(sample_index="n")).total == 1 + 2 + 8


def test_normalize_scales_each_value_to_the_base() -> None:
    scaled = subtract(ONE, TWO, normalize=True)
    assert scaled.values.sum(axis=1).tolist() == [0, 0]


def test_only_common_values_are_compared_and_in_one_unit() -> None:
    fine = profile([("a", (1, 2_000_000))], ("n/count", "t/ns"))
    coarse = profile([("a", (3, 5))], ("t/ms", "other/count"))
    merged = merge([fine, coarse])
    assert merged.sample_types == (ValueType("t", "ns"),)
    assert merged.values.tolist() == [[5_000_000]]


@pytest.mark.parametrize("other", [profile([("a", (1,))], ("bytes/bytes",)), profile([("a", (1,))], ("n/bytes",))])
def test_profiles_of_different_things_are_refused(other: Profile) -> None:
    with pytest.raises(UsageError, match="cannot be added or subtracted"):
        merge([profile([("a", (1,))], ("n/count",)), other])


def test_a_binary_loaded_elsewhere_is_the_same_binary() -> None:
    def at(start: int) -> Profile:
        made = profile([("a main", (1,))], mappings=[Mapping(start, start + 0x5000, file="/bin/app")])
        return replace(made, locations=replace(made.locations, address=made.locations.address + np.uint64(start)))

    merged = merge([at(0x400000), at(0x7F0000)])
    assert len(merged.mappings) == 1
    assert len(merged.locations) == 2
    assert stacks_of(merged) == [("a main", 2)]
    assert set(merged.locations.address.tolist()) == {0x400000 + address("a"), 0x400000 + address("main")}


def test_halves_round_away_from_zero() -> None:
    before = profile([("a", (1,)), ("b", (1,)), ("c", (1,))])
    after = profile([("a", (5,)), ("b", (-5,)), ("c", (6,))])
    assert stacks_of(subtract(after, before, normalize=True))[:2] == [("a", 2), ("b", -4)]
