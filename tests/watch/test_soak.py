"""A watcher does not leak: a day of fifty targets, simulated, and its own memory judged as that of any other process.

CI takes a snapshot every half hour, `make soak` (SOAK_SECONDS is set) every two minutes.
"""

import gc
import os
import sys
from pathlib import Path

import pytest

from fake_targets import FakeClock, FakeTarget, pass_time, watcher
from oakum.watch.trends import Point, Trail, growing

pytestmark = pytest.mark.slow

HOUR = 3600.0
EVERY = 120.0 if os.environ.get("SOAK_SECONDS") else 1800.0
TARGETS = 50
BLOCK = 72  # bytes of one of Python's blocks, about; to trace them all would take four times as long


def test_a_day_of_fifty_targets_leaves_nothing_in_memory(tmp_path: Path) -> None:
    time = FakeClock()
    begin = time.now + 6 * HOUR
    targets = [FakeTarget(f"service{at}-1", time) for at in range(TARGETS)]
    targets[0].leaked = lambda now: max(0, round((now - begin) / HOUR * 12))
    one, log = watcher(tmp_path / "s", time, targets, every=EVERY)
    sizes = Trail()
    pass_time(one, time, 3 * HOUR)  # everything is loaded, every target is known
    for _ in range(21):
        for restarted in targets[1:4]:
            restarted.started = time.now
        pass_time(one, time, HOUR)
        log.truncate(0)
        log.seek(0)
        gc.collect()
        sizes.add(Point(round(time.now * 1e6), None, float(sys.getallocatedblocks() * BLOCK)))
    one.close()
    values = sizes.series("heap")[1]
    print("held:", [round(value / 1e6, 2) for value in values], "snapshots:", one.snapshots)
    # Histories fill up during the first hours; after that a day must not add a twentieth of what a watcher has.
    third = len(values) // 3
    slope = (sum(values[-third:]) / third - sum(values[third : 2 * third]) / third) / third
    assert slope * 24 < 4e6, values
    assert not growing(sizes), "judged as oakum judges others"
    assert one.snapshots > 20 * HOUR / EVERY * TARGETS * 0.9
    files = [path for path in (tmp_path / "s" / "recent").rglob("*") if path.is_file()]
    assert len(files) < TARGETS * 40
