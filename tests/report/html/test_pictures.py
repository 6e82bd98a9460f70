"""Charts, waterfalls and chains: where things are drawn."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from made_pages import NOON
from oakum.report.html.chain import layers
from oakum.report.html.chart import HEIGHT, plot
from oakum.report.html.waterfall import bars
from oakum.report.page.blocks import Bar, Chain, Chart, ChartPoint, Edge, Node, Series, Waterfall


def series(*values: float | None, hours: tuple[float, ...] = (), tone: str = "grew", name: str = "s") -> Series:
    points = [
        ChartPoint(value, f"m{at}", NOON + timedelta(hours=hours[at]) if hours else None, f"#input-{at + 1}")
        for at, value in enumerate(values)
    ]
    return Series(name, tuple(points), tone)  # type: ignore[arg-type]


def chart(*found: Series, unit: str = "count") -> Chart:
    return Chart("c", unit, found, "said")  # type: ignore[arg-type]


def test_values_stand_where_they_should() -> None:
    drawn = plot(chart(series(0, 50, 100)))
    assert drawn
    (line,) = drawn.lines
    assert [mark.x for mark in line.marks] == [0, 50, 100]
    top = float(drawn.ticks[-1].text)
    assert top > 100
    assert [mark.y for mark in line.marks] == pytest.approx([HEIGHT * (1 - v / top) for v in (0, 50, 100)], abs=0.1)
    assert line.marks[1].told == "s · m1: 50"
    assert line.marks[1].to == "#input-2"
    assert [(one.text, one.anchor) for one in drawn.times] == [("m0", "start"), ("m1", "middle"), ("m2", "end")]
    assert [one.text for one in drawn.values] == ["100"]


def test_time_is_to_scale_where_every_point_tells_it() -> None:
    drawn = plot(chart(series(1, 2, 3, hours=(0, 1, 10))))
    assert drawn
    assert [mark.x for mark in drawn.lines[0].marks] == [0, 10, 100]


def test_a_twin_of_another_day_does_not_squeeze_the_process() -> None:
    drawn = plot(chart(series(1, 2, 3, hours=(0, 1, 2)), series(1, 1, 1, hours=(90, 91, 92), tone="twin")))
    assert drawn
    assert [mark.x for mark in drawn.lines[0].marks] == [0, 50, 100]


def test_one_look_at_a_twin_is_a_level() -> None:
    drawn = plot(chart(series(1, 9), series(3, tone="twin")))
    assert drawn
    (run,) = drawn.lines[1].runs
    assert run.startswith("0.0,")
    assert " 1000.0," in run


def test_a_moment_that_does_not_say_breaks_the_line() -> None:
    drawn = plot(chart(series(1, 2, None, 4, 5)))
    assert drawn
    assert len(drawn.lines[0].runs) == 2
    assert len(drawn.lines[0].marks) == 4


@pytest.mark.parametrize(
    ("most", "unit", "ticks"),
    [
        (3, "count", ["0", "1", "2", "3", "4"]),
        (160, "count", ["0", "50", "100", "150", "200"]),
        (1, "count", ["0", "1", "2"]),
        (0, "count", ["0", "1"]),
        (419 << 20, "bytes", ["0 B", "128 MiB", "256 MiB", "384 MiB", "512 MiB"]),
        (3 << 30, "bytes", ["0 B", "1 GiB", "2 GiB", "3 GiB", "4 GiB"]),
        (900, "bytes", ["0 B", "256 B", "512 B", "768 B", "1 KiB"]),
    ],
)
def test_ticks_are_round(most: float, unit: str, ticks: list[str]) -> None:
    drawn = plot(chart(series(0, most), unit=unit))
    assert drawn
    assert [tick.text for tick in drawn.ticks] == ticks


def test_nothing_known_is_not_drawn() -> None:
    assert plot(chart(series(None, None))) is None
    assert plot(chart(series(float("nan"), 1))) is None
    assert plot(chart(series(float("inf")))) is None
    assert plot(chart(Series("s", ()))) is None


def test_many_points_are_a_line_and_its_ends() -> None:
    drawn = plot(chart(series(*range(1000))))
    assert drawn
    assert [mark.x for mark in drawn.lines[0].marks] == [0, 100]
    assert len(drawn.times) <= 5


def test_a_line_of_very_many_corners_keeps_its_shape() -> None:
    values = [float(at % 7) for at in range(50_000)]
    values[31_234] = 900.0
    drawn = plot(chart(series(*values)))
    assert drawn
    (run,) = drawn.lines[0].runs
    assert len(run) < 20_000
    heights = [float(corner.partition(",")[2]) for corner in run.split()]
    assert min(heights) == pytest.approx(HEIGHT * (1 - 900 / float(drawn.ticks[-1].text.replace(",", ""))), abs=0.2)
    assert max(heights) == HEIGHT


def test_values_do_not_stand_on_each_other() -> None:
    drawn = plot(chart(*(series(1, 100 + at, name=str(at)) for at in range(4))))
    assert drawn
    heights = sorted(label.y for label in drawn.values)
    assert len({round(y) for y in heights}) > 1


def test_parts_begin_where_the_one_before_ends() -> None:
    parts = (Bar("a", 20), Bar("b", 30), Bar("all", 50, tone="whole"), Bar("limit", 100, tone="limit"))
    drawn = bars(Waterfall("w", parts, ""))
    assert [(one.start, one.length) for one in drawn] == [(0, 20), (20, 30), (0, 50), (0, 100)]
    assert [one.share for one in drawn] == [0.4, 0.6, None, None]
    assert bars(Waterfall("w", (), "")) == ()
    assert bars(Waterfall("w", (Bar("a", 0),), ""))[0].length == 0


def chain(count: int, *edges: tuple[int, int]) -> Chain:
    return Chain("c", tuple(Node(str(at)) for at in range(count)), tuple(Edge(a, b, "") for a, b in edges), "")


def test_who_waits_stands_above_what_it_waits_for() -> None:
    found = layers(chain(4, (0, 2), (1, 2), (2, 3)))
    assert [[box.node.title for box in layer.boxes] for layer in found] == [["0", "1"], ["2"], ["3"]]
    assert found[0].lines == ((25.0, 50.0), (75.0, 50.0))
    assert [box.number for layer in found for box in layer.boxes] == [1, 2, 3, 4]
    assert found[0].boxes[1].waits == ((3, ""),)


def test_a_circle_is_cut_and_still_told() -> None:
    found = layers(chain(3, (0, 1), (1, 2), (2, 0)))
    assert sorted(box.node.title for layer in found for box in layer.boxes) == ["0", "1", "2"]
    assert sum(len(box.waits) for layer in found for box in layer.boxes) == 3
    assert layers(chain(1, (0, 0)))[0].boxes[0].waits == ((1, ""),)


def test_many_beside_each_other_are_put_in_rows() -> None:
    found = layers(chain(10, *((at, 9) for at in range(9))))
    assert [len(layer.boxes) for layer in found] == [4, 4, 1, 1]
    assert layers(replace(chain(2), edges=(Edge(0, 7, "gone"),)))
