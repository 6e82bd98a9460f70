"""Experiments written by hand: dumps of a service with the work that was sent to it between, as a bundle has them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from goroutine_text import goroutine
from oakum.experiment.record import FILE, record
from oakum.model.experiment import Ended, Experiment, Phase, Stage

START = datetime(2026, 11, 18, tzinfo=UTC)
BATCHES = (30, 30, 60, 45, 75, 60)


def phases(batches: Sequence[int], *, paused: bool = False, after: int = 2) -> list[Phase]:
    each: list[Phase] = ["batch"] * len(batches)
    pause: list[Phase] = ["drain", "drain", "drain"] if paused else []
    drains: list[Phase] = ["drain"] * after
    return ["settle", "settle", *each[1:], *pause, "batch", *drains]


def write_experiment(
    folder: Path,
    counts: Sequence[int],
    state: str = "chan send",
    batches: Sequence[int] = BATCHES,
    ended: Ended = "complete",
    failed: int = 0,
    pause: float = 0,
    asked: str = "GET /orders",
    status: str = "200",
    after: int = 2,
) -> Path:
    """Write the snapshots of a service with so many goroutines at one place, and what was done before each.

    With a pause, so many seconds without work lie before the last batch, and three snapshots in them.
    """
    done, stages, sizes = 0, [], iter(batches)
    told = phases(batches, paused=bool(pause), after=after)
    resumed = len(told) - after - 1
    for at, (phase, count) in enumerate(zip(told, counts, strict=True)):
        done += next(sizes) if phase == "batch" else 0
        when = START + timedelta(seconds=at + (pause if pause and at >= resumed - 1 else 0))
        stages.append(Stage(phase, when, done, done, min(done, failed), {status: done} if done else {}))
        here = folder / "orders" / str(at + 1)
        here.mkdir(parents=True)
        dump = [goroutine(1, "IO wait", "main.serve", by="")]
        dump += [goroutine(100 + 3 * number, state, "shop/orders.(*Book).fetch.func1",
                           by="shop/orders.(*Book).fetch", parent=99 + 3 * number) for number in range(count)]  # fmt: skip
        # Each unit starts a goroutine of its own, so that the numbers tell that work was done.
        dump.append(goroutine(200 + 4 * done, "running", "main.poll"))
        (here / "goroutine.txt").write_text("\n".join(dump))
    made = Experiment("http://127.0.0.1:6060", "request", tuple(stages), (asked,), ended)
    (folder / "orders" / FILE).write_bytes(record(made))
    return folder / "orders"


def leaking(each: float, first: int = 0, batches: Sequence[int] = BATCHES, *, paused: bool = False) -> list[int]:
    """Return the counts of a service that keeps so many for each request."""
    done, sizes = 0, iter(batches)
    counts = []
    for phase in phases(batches, paused=paused):
        done += next(sizes) if phase == "batch" else 0
        counts.append(first + round(each * done))
    return counts
