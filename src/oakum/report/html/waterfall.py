"""Parts of a whole -> where each bar begins and how long it is, in percent of the longest."""

from msgspec import Struct

from oakum.report.page.blocks import Bar, Waterfall


class Drawn(Struct, frozen=True):
    """A bar: each part begins where the one before it ended, wholes and limits at nought."""

    bar: Bar
    start: float  # percent
    length: float
    share: float | None  # of the whole, 0 to 1


def bars(waterfall: Waterfall) -> tuple[Drawn, ...]:
    ends = 0.0
    spans: list[tuple[Bar, float, float]] = []
    for bar in waterfall.bars:
        value = max(bar.value, 0.0)
        start = ends if bar.tone == "part" else 0.0
        ends = start + value if bar.tone == "part" else ends
        spans.append((bar, start, value))
    most = max((start + value for _, start, value in spans), default=0.0) or 1.0
    whole = next((bar.value for bar in waterfall.bars if bar.tone == "whole"), ends) or 1.0
    return tuple(
        Drawn(
            bar,
            round(100 * start / most, 2),
            round(100 * value / most, 2),
            value / whole if bar.tone == "part" else None,
        )
        for bar, start, value in spans
    )
