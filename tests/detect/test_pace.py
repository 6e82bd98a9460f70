"""Pace: one word for a count under work; only ratios count."""

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakum.detect.pace import goes_on, pace, quiet


def word(counts: list[int], work: list[float] | None = None) -> str:
    came = [max(0, after - before) for before, after in pairwise(counts)]
    return pace(counts, came, work if work is not None else [100.0] * len(came))


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ([0, 20, 40, 60, 80], "rises"),
        ([3, 13, 23, 33], "rises"),
        ([0, 0, 0, 0, 50], "single-step"),  # who knows what the next step brings
        ([10, 60], "single-step"),
        ([0, 30, 60, 60, 60, 60], "plateau"),
        ([4, 10, 30, 30, 30, 30], "plateau"),
        ([0, 40, 90, 70, 5], "falls"),
        ([30, 20, 10], "falls"),
        ([0, 57, 0, 113, 0], "falls"),
        ([7, 7, 7, 7], "flat"),
        ([0, 0, 0], "flat"),
        ([5], "flat"),
        ([], "flat"),
    ],
)
def test_the_word_for_a_count(counts: list[int], said: str) -> None:
    assert word(counts) == said


def test_growth_that_stops_with_the_work_has_not_levelled_off() -> None:
    assert word([0, 30, 60, 60, 60], [100, 100, 1, 1]) == "rises"
    assert word([0, 30, 60, 60, 60], [100, 100, 100, 100]) == "plateau"


def test_a_slow_leak_is_no_warm_up() -> None:
    """Three a step among much other work is three a step."""
    assert word([0, 3, 6, 9, 12, 15], [1000, 900, 1100, 1000, 950]) == "rises"


@given(st.lists(st.integers(0, 4), min_size=1, max_size=8).filter(any))
def test_few_never_level(came: list[int]) -> None:
    """Of four that came nobody can say that the fifth would have come by now."""
    while sum(came) > 4:
        came[came.index(max(came))] -= 1
    counts = list(accumulate(came, initial=0))
    assert pace(counts, came, [1.0] * len(came)) != "plateau"


_STEPS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 40), st.floats(0.5, 1000)), min_size=1, max_size=8)


@given(_STEPS, st.integers(-8, 8))
def test_the_unit_of_work_does_not_matter(steps: list[tuple[int, int, float]], power: int) -> None:
    came = [more for more, _, _ in steps]
    counts = list(accumulate((more - min(more, less) for more, less, _ in steps), initial=5))
    work = [done for _, _, done in steps]
    factor = 2.0**power  # exact in floating point: no rounding decides
    assert pace(counts, came, work) == pace(counts, came, [factor * done for done in work])
    assert goes_on(came, work) == goes_on(came, [factor * done for done in work])
    assert quiet(work) == quiet([factor * done for done in work])


@given(_STEPS)
def test_whatever_comes_there_is_a_word(steps: list[tuple[int, int, float]]) -> None:
    came = [more for more, _, _ in steps]
    counts = list(accumulate((more - less for more, less, _ in steps), initial=500))
    for work in ([done for _, _, done in steps], [0.0] * len(came), []):
        said = pace(counts, came, work)
        assert said in ("rises", "single-step", "plateau", "falls", "flat")
        if not any(came):
            assert said in ("falls", "flat")


@given(st.integers(1, 1000), st.integers(2, 12), st.floats(1, 1e6))
def test_steady_growth_rises_whatever_its_size(step: int, steps: int, work: float) -> None:
    came = [step] * steps
    counts = list(accumulate(came, initial=0))
    assert pace(counts, came, [work] * steps) == "rises"


def test_what_goes_on() -> None:
    assert goes_on([20, 20, 20, 20], [1, 1, 1, 1])
    assert not goes_on([40, 20, 0, 0], [1, 1, 1, 1])
    assert not goes_on([1, 1], [1, 1])  # two say nothing
    assert not goes_on([55, 41, 29], [140, 140, 140])  # fewer than chance explains: it slows down
    assert goes_on([12, 9, 8], [140, 140, 140])  # of so few as many less is chance
    assert not goes_on([], [])


def test_quiet_is_a_last_step_without_work() -> None:
    assert quiet([100, 80, 3])
    assert not quiet([100, 80, 60])
    assert not quiet([3])
