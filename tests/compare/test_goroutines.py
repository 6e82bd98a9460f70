"""Populations: the same goroutines in every moment, whatever order and format they came in."""

import gzip
from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from goroutine_text import dump as dump_of
from goroutine_text import goroutine, read
from oakum.compare.goroutines import populations, started
from oakum.model import Capture, Goroutines, Population
from oakum.parse import goroutines, parse
from support import RECORDED, ROOT


def dump(*members: tuple[int, str], state: str = "chan send", creator: str = "main.main") -> Goroutines:
    """Return goroutines of (id, function)."""
    text = "\n".join(
        f"goroutine {number} [{state}]:\nmain.{function}()\n\t/srv/a/a.go:{len(function)} +0x1\n"
        f"created by {creator}\n\t/srv/a/a.go:2 +0x1\n"
        for number, function in members
    )
    (reading,) = parse(Capture("x", text.encode()))
    found = goroutines(reading)
    assert found is not None
    return found


def at(found: tuple[Population, ...], function: str) -> Population:
    (one,) = [p for p in found if p.place is not None and p.place.function == f"main.{function}"]
    return one


def test_who_came_stayed_and_left() -> None:
    found = populations(
        [dump((1, "ask"), (2, "ask"), (9, "rest")), dump((2, "ask"), (3, "ask"), (4, "ask"), (9, "rest"))]
    )
    ask, rest = at(found, "ask"), at(found, "rest")
    assert found[0] is ask
    assert (ask.counts.tolist(), ask.came.tolist(), ask.stayed.tolist(), ask.left.tolist()) == ([2, 3], [2], [1], [1])
    assert (rest.counts.tolist(), rest.stayed.tolist(), rest.rise, rest.followed) == ([1, 1], [1], 0, True)


def test_a_place_that_is_empty_in_a_moment_is_followed_all_the_same() -> None:
    ask = at(populations([dump((9, "rest")), dump((9, "rest"), (10, "ask")), dump((9, "rest"))]), "ask")
    assert (ask.counts.tolist(), ask.came.tolist(), ask.left.tolist()) == ([0, 1, 0], [1, 0], [0, 1])


def test_growth_of_three_a_step_is_three_a_step() -> None:
    series = [dump(*[(100 + n, "ask") for n in range(1, 3 * step + 1)], (1, "rest")) for step in range(20)]
    ask = at(populations(series), "ask")
    assert np.diff(ask.counts).tolist() == [3] * 19
    assert ask.came.tolist() == [3] * 19
    assert ask.left.tolist() == [0] * 19


def test_one_place_with_two_creators_is_two_populations() -> None:
    both = Goroutines(dump((1, "work")).groups + dump((2, "work"), creator="main.wide").groups)
    assert len(populations([both, both])) == 2


def test_what_one_moment_cannot_say_tells_nothing_apart() -> None:
    text = Goroutines(dump((1, "work")).groups + dump((2, "work"), creator="main.wide").groups)
    blind = Goroutines(tuple(type(g)(g.stack, g.count, g.state) for g in text.groups))
    (one,) = populations([text, blind])
    assert (one.counts.tolist(), one.creator, one.came.tolist(), one.followed) == ([2, 2], None, [-1], False)


def test_a_moment_without_goroutines_is_unknown_not_empty() -> None:
    (ask,) = populations([dump((1, "ask")), None, dump((1, "ask"), (2, "ask"))])
    assert (ask.counts.tolist(), ask.came.tolist(), ask.rise) == ([1, -1, 2], [-1, -1], 1)


def test_another_build_is_compared_without_lines() -> None:
    old, new = dump((1, "ask")), dump((1, "ask"))
    moved = Goroutines(
        tuple(
            type(g)(
                type(g.stack)(tuple(type(f)(f.function, f.file, f.line + 7) for f in g.stack.frames)), g.count, g.state
            )
            for g in new.groups
        )
    )
    assert len(populations([old, moved])) == 2
    assert len(populations([old, moved], lines=False)) == 1


def test_no_moment_and_one_moment() -> None:
    assert populations([]) == ()
    (ask,) = populations([dump((1, "ask"))])
    assert (ask.counts.tolist(), ask.came.tolist(), ask.followed) == ([1], [], False)


def test_what_was_started() -> None:
    assert started([dump((10, "a")), dump((10, "a"), (250, "b")), None, dump((300, "a"))]).tolist() == [240, -1, -1]


def _aged(*members: tuple[int, int]) -> Goroutines:
    """Return goroutines of (id, minutes) that wait to send."""
    return read(dump_of([goroutine(number, "chan send", "main.ask", minutes=age) for number, age in members]))


def test_who_is_new_in_the_process_is_fresh() -> None:
    """A crew that changes places brings nobody."""
    before, after = dump((1, "ask"), (2, "rest"), (3, "rest")), dump((1, "ask"), (2, "ask"), (3, "ask"), (4, "ask"))
    ask = at(populations([before, after]), "ask")
    assert (ask.came.tolist(), ask.fresh.tolist(), ask.born) == ([3], [1], 1)


def test_who_left_has_ended_or_stands_elsewhere() -> None:
    ask = at(populations([dump((1, "ask"), (2, "ask"), (3, "ask")), dump((1, "ask"), (2, "rest"))]), "ask")
    assert (ask.left.tolist(), ask.ended.tolist()) == ([2], [1])


def test_since_when_the_last_have_stood_there() -> None:
    series = [
        dump((1, "ask")),
        dump((1, "ask"), (2, "ask")),
        dump((2, "ask"), (3, "ask")),
        dump((2, "ask"), (3, "ask")),
    ]
    assert at(populations(series), "ask").since.tolist() == [0, 1, 2, 2]


def test_who_stood_through_a_step_and_left_was_released() -> None:
    series = [dump((1, "ask"), (2, "ask")), dump((1, "ask"), (2, "ask")), dump((2, "ask"))]
    assert at(populations(series), "ask").released == 1
    passing = [dump((1, "ask")), dump((2, "ask")), dump((3, "ask"))]
    assert at(populations(passing), "ask").released == 0


def test_an_age_that_fell_is_a_wait_that_restarted() -> None:
    waited = populations([_aged((20, 9), (21, 9), (22, 9)), _aged((20, 19), (21, 3), (22, 19))])
    assert at(waited, "ask").alive.tolist() == [0, 1]
    assert at(waited, "ask").aged.tolist() == [3, 3]


def test_who_has_no_age_although_a_younger_one_has_is_alive() -> None:
    assert at(populations([_aged((20, 0), (21, 0), (900, 5))]), "ask").alive.tolist() == [2]
    assert at(populations([_aged((20, 5), (21, 5), (900, 0))]), "ask").alive.tolist() == [0]  # too young to say
    # Ids are handed out in batches: one that is a little lower may be younger all the same.
    assert at(populations([_aged((890, 0), (900, 5))]), "ask").alive.tolist() == [0]


def test_who_was_elsewhere_has_come_since_and_need_not_have_moved() -> None:
    before = _aged((20, 0), (900, 0))
    came = _aged((20, 0), (21, 0), (900, 5))
    other = Goroutines(before.groups + dump((21, "read"), state="IO wait").groups)
    assert at(populations([other, came]), "ask").alive.tolist() == [0, 1]  # 21 was reading
    assert at(populations([came]), "ask").alive.tolist() == [2]


def test_without_ages_nobody_is_called_alive() -> None:
    assert at(populations([_aged((20, 0), (900, 0))] * 2), "ask").alive.tolist() == [0, 0]


def _summary(found: tuple[Population, ...]) -> list[tuple[object, ...]]:
    return sorted((str(p.place), p.state or "", str(p.creator), *p.counts.tolist(), *p.came.tolist()) for p in found)


@given(
    st.lists(
        st.lists(st.tuples(st.integers(1, 60), st.sampled_from(["ask", "rest", "write"])), max_size=12),
        min_size=2,
        max_size=4,
    ),
    st.randoms(),
)
def test_order_does_not_matter(series: list[list[tuple[int, str]]], random: Random) -> None:
    def made(members: list[tuple[int, str]]) -> Goroutines:
        return dump(*{number: (number, function) for number, function in members}.values(), (99, "main"))

    def shuffled(moment: Goroutines) -> Goroutines:
        return Goroutines(tuple(random.sample(moment.groups, len(moment.groups))))

    moments = [made(members) for members in series]
    found = populations(moments)
    assert _summary(populations([shuffled(moment) for moment in moments])) == _summary(found)
    for number, moment in enumerate(moments):
        assert sum(int(p.counts[number]) for p in found) == moment.total


def test_noise_changes_nobody_else() -> None:
    quiet = [dump((1, "ask")), dump((1, "ask"), (2, "ask"))]
    noise = dump(*[(1000 + n, "crowd") for n in range(50)], state="select")
    loud = [Goroutines(moment.groups + noise.groups) for moment in quiet]
    assert at(populations(loud), "ask").counts.tolist() == at(populations(quiet), "ask").counts.tolist()


def test_formats_of_one_process_give_the_same_counts() -> None:
    folder = RECORDED / "go1.27.3"
    dumps = []
    for name in ("goroutine.debug2.txt.gz", "goroutine.pb.gz"):
        (reading,) = parse(Capture(name, (folder / name).read_bytes()))
        dumps.append(goroutines(reading))
    waiting = [one for one in populations(dumps) if one.state not in (None, "running", "runnable")]  # others move on
    assert len(waiting) > 5
    assert [one.place for one in waiting if one.counts[0] != one.counts[1]] == []


def test_the_leak_of_an_incident_stands_first() -> None:
    take = ROOT / "casebook" / "kubernetes-98653" / "captures" / "leaking-go1.26-modcache"
    moments = []
    for folder in sorted(take.glob("[0-9]-*")):
        (path,) = folder.glob("goroutine.debug2.txt*")
        (reading,) = parse(Capture(path.name, gzip.decompress(path.read_bytes())))
        moments.append(goroutines(reading))
    first = populations(moments)[0]
    assert first.place is not None
    assert (first.place.function, first.state) == (
        "k8s.io/apimachinery/pkg/watch.(*StreamWatcher).receive",
        "chan send",
    )
    assert first.counts.tolist() == [0, 40, 80, 160, 160]
    assert first.left.tolist() == [0, 0, 0, 0]
