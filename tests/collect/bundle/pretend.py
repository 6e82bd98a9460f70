"""Targets that give what a test wants, and bundles made of them."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from oakum.collect.bundle.write import Bundle
from oakum.collect.target import CaptureOptions, LeftOut, Plan, Step, Taken
from oakum.model import Capture, Problem, Text

BEGAN = datetime(2026, 11, 16, 10, 15, tzinfo=UTC)
DUMP = b"goroutine 1 [running]:\nmain.main()\n\t/srv/shop/main.go:7 +0x1d\n"


class Pretend:
    """A target that has files already."""

    def __init__(self, name: str, files: dict[str, bytes], address: str = "") -> None:
        self.name, self.files = name, files
        self.address = address or f"http://{name}:6060"
        self.process = self.address

    def plan(self, options: CaptureOptions, snapshot: int = 1, last: bool = True) -> Plan:
        steps = tuple(Step(name, f"what {name} is", f"GET {self.address}/{name}", name) for name in self.files)
        return Plan(
            steps,
            (LeftOut("debug=2", Text("count.goroutines", {"count": 12_000}), Text("plan.force-uncounted")),),
            (Text("plan.command", {"command": "curl -X PUT http://shop:6060/debug/flags/v"}),),
            {"goroutines": 12_000, "version": "go1.26.8"},
        )

    def take(self, step: Step, options: CaptureOptions) -> Taken:
        return taken(step, self.files[step.key])

    def close(self) -> None:
        pass


def taken(step: Step, data: bytes | None, after: float = 0.0, *problems: Problem) -> Taken:
    began = BEGAN + timedelta(seconds=after)
    capture = Capture("", data, began) if data is not None else None
    return Taken(step, capture, began, began + timedelta(seconds=1), problems)


def fill(bundle: Bundle, *targets: Pretend, snapshots: int = 1, every: float = 30.0) -> Path:
    """Take everything of the targets, and return the finished bundle."""
    for target in targets:
        for number in range(1, snapshots + 1):
            plan = target.plan(CaptureOptions(), number)
            bundle.snapshot(target, number, plan, BEGAN + timedelta(seconds=every * (number - 1)))
            for step in plan.steps:
                bundle.add(target, number, taken(step, target.files[step.key], every * (number - 1)))
    return bundle.close()
