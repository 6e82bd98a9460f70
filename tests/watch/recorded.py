"""Recorded ranges of the casebook, cut before their end: forecasts of a limit that was reached later, and of none.

python tests/watch/recorded.py prints each one.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from oakum.watch.forecast import Forecast, forecast

ROOT = Path(__file__).resolve().parents[2]
MEASURES = ("go_goroutines", "go_memstats_heap_inuse_bytes", "process_resident_memory_bytes")
CUTS = (0.4, 0.5, 0.6, 0.7, 0.8)


class Cut(NamedTuple):
    """One measure of one process until a time, and when it reached what is taken as its limit."""

    name: str
    found: Forecast
    now: int
    reached: int

    @property
    def held(self) -> bool:
        low, high = self.found.reaches_low, self.found.reaches_high
        return low is not None and low <= self.reached and (high is None or self.reached <= high)


def cuts() -> Iterator[Cut]:
    """Yield forecasts of the recorded ranges; the limit is 98 of 100 of what a measure reaches later."""
    for path in sorted((ROOT / "casebook").glob("*/signals/*/metrics.json.gz")):
        for row in json.loads(gzip.decompress(path.read_bytes()))["data"]["result"]:
            metric = row["metric"]
            if metric["__name__"] not in MEASURES:
                continue
            samples = np.array(row["values"], float)
            times, values = samples[:, 0] * 1e6, samples[:, 1]
            for part in CUTS:
                seen = int(part * len(times))
                limit = 0.98 * float(values.max())
                later = np.flatnonzero(values[seen:] >= limit)
                if values[:seen].max() >= limit or not len(later):
                    continue
                now = int(times[seen - 1])
                found = forecast([times[:seen]], [values[:seen]], limit, now)
                name = f"{path.parts[-4]} {metric['job']} {metric['__name__']} {part}"
                yield Cut(name, found, now, int(times[seen + later[0]]))


def main() -> None:
    every = [*cuts()]
    for one in every:
        ahead = [
            None if at is None else round((at - one.now) / 1e6)
            for at in (one.found.reaches_low, one.found.reaches_high)
        ]
        truth = round((one.reached - one.now) / 1e6)
        print(
            f"{one.name:62} {one.found.shape:10} reached after {truth:4} s, forecast {ahead}{'' if one.held else '  missed'}"
        )
    closed = [one for one in every if one.found.reaches_high is not None]
    print(f"{sum(one.held for one in closed)} of {len(closed)} intervals with two ends hold it; {len(every)} cuts")


if __name__ == "__main__":
    main()
