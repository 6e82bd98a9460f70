"""Experiments written by hand: dumps of a service with the work that was sent to it between, as a bundle has them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from goroutine_text import goroutine
from oakum.experiment.record import FILE, record
from oakum.model.experiment import Ended, Experiment, Phase, Stage

START = datetime(2026, 11, 18, tzinfo=UTC)
BATCHES = (30, 30, 60, 45, 75, 60)


def phases(batches: Sequence[int]) -> list[Phase]:
    each: list[Phase] = ["batch"] * len(batches)
    return ["settle", "settle", *each, "drain", "drain"]


def write_experiment(
    folder: Path,
    counts: Sequence[int],
    state: str = "chan send",
    batches: Sequence[int] = BATCHES,
    ended: Ended = "complete",
    failed: int = 0,
) -> Path:
    """Write the snapshots of a service with so many goroutines at one place, and what was done before each."""
    done, stages = 0, []
    for at, (phase, count) in enumerate(zip(phases(batches), counts, strict=True)):
        done += batches[at - 2] if phase == "batch" else 0
        stages.append(
            Stage(phase, START + timedelta(seconds=at), done, done, min(done, failed), {"200": done} if done else {})
        )
        here = folder / "orders" / str(at + 1)
        here.mkdir(parents=True)
        dump = [goroutine(1, "IO wait", "main.serve", by="")]
        dump += [goroutine(100 + 3 * number, state, "shop/orders.(*Book).fetch.func1",
                           by="shop/orders.(*Book).fetch", parent=99 + 3 * number) for number in range(count)]  # fmt: skip
        # Each unit starts a goroutine of its own, so that the numbers tell that work was done.
        dump.append(goroutine(200 + 4 * done, "running", "main.poll"))
        (here / "goroutine.txt").write_text("\n".join(dump))
    made = Experiment("http://127.0.0.1:6060", "request", tuple(stages), ("GET /orders",), ended)
    (folder / "orders" / FILE).write_bytes(record(made))
    return folder / "orders"


def leaking(each: float, first: int = 0, batches: Sequence[int] = BATCHES) -> list[int]:
    """Return the counts of a service that keeps so many for each request."""
    done = [0, 0]
    for size in batches:
        done.append(done[-1] + size)
    return [first + round(each * one) for one in [*done, done[-1], done[-1]]]
