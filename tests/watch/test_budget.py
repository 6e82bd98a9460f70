"""What a look may cost: no hour has more than is allowed, dear steps wait, cheap ones go on."""

from itertools import pairwise

import pytest

from oakum.watch.budget import Allowance, Budget, Cost


@pytest.mark.parametrize("every", [1.0, 60.0, 600.0])
@pytest.mark.parametrize("size", [1_000, 400_000, 60_000_000])
def test_no_hour_has_more_than_is_allowed_but_for_one_step_that_is_dearer_alone(every: float, size: int) -> None:
    budget = Budget(Allowance(0.005, 20_000_000))
    spent: list[tuple[float, Cost]] = []
    now = 0.0
    while now < 4 * 3600 and len(spent) < 20_000:
        cost = Cost(size, size / 1e8)
        if budget.allows(now, cost):
            budget.spend(now, cost, {"heap.pb.gz": cost})
            spent.append((now, cost))
        now += max(every, 1.0)
    begin, in_hour = 0, Cost()
    for when, cost in spent:
        in_hour = in_hour.plus(cost)
        while spent[begin][0] <= when - 3600:
            in_hour = in_hour.plus(Cost(-spent[begin][1].bytes, -spent[begin][1].seconds))
            begin += 1
        assert in_hour.bytes <= max(20_000_000, size) * 1.001
        assert in_hour.seconds <= max(18.0, size / 1e8) * 1.001
    assert spent, "what is dearer than the budget is taken too, seldom"
    if size > 20_000_000:
        assert min(after[0] - before[0] for before, after in pairwise(spent)) > 3600


def test_the_interval_is_stretched_only_when_the_cheapest_look_is_too_dear() -> None:
    budget = Budget()
    assert budget.interval(60.0, Cost(10_000, 0.01)) == 60.0
    assert budget.interval(60.0, Cost(10_000, 1.0)) == pytest.approx(1.0 / 0.005 * 7 / 6)
    assert budget.interval(60.0, Cost(10e9, 0.0)) == 4 * 3600.0, "a leak of hours is seen all the same"


def test_what_a_step_costs_is_learned() -> None:
    budget = Budget()
    assert budget.expected("metrics.txt").bytes > 0
    budget.spend(0.0, Cost(), {"metrics.txt": Cost(5e6, 0.2)})
    assert budget.expected("metrics.txt") == Cost(5e6, 0.2)
    for at in range(30):
        budget.spend(float(at), Cost(), {"metrics.txt": Cost(1e3, 0.0)})
    assert budget.expected("metrics.txt").bytes < 2e3
