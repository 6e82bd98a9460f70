"""Files, directories, bundles and standard input as targets: what is there already goes into a new bundle.

The directories that hold files are snapshots of the process that their parent is named after, as everywhere; times stay
where a manifest tells them, and nothing is read twice.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct, field

from oakum.collect.bundle.names import safe_name
from oakum.collect.files import gather
from oakum.collect.target import CaptureOptions, Plan, Step, Taken
from oakum.model import Capture, OakumError, Problem, UsageError, problem_of
from oakum.model.capture import REDACTED

_NAMED = 5  # files that are no evidence


class Given(Struct, eq=False, dict=True):
    """One process that given evidence tells of."""

    address: str
    name: str
    captures: dict[str, Capture] = field(default_factory=dict)  # by the file it becomes: "1/heap.pb.gz"
    problems: list[Problem] = field(default_factory=list)

    @property
    def process(self) -> str:
        """Return what no other target has: files can be read at any time."""
        return f"given:{self.address}:{self.name}"

    def plan(self, options: CaptureOptions, snapshot: int = 1, last: bool = True) -> Plan:
        """Return a step for each file, in the first snapshot alone: files do not change. None if none is evidence."""
        del last
        if snapshot > 1:
            return Plan()
        mistaken = {file: why for file, one in self.captures.items() if (why := options.mistaken(one))}
        problems = [*self.problems, *self._named(mistaken)]
        if len(mistaken) == len(self.captures):
            return Plan(problems=(*problems, Problem.of("no-evidence", origin=self.address, files=len(mistaken))))
        steps = [
            Step(file, "a file that was given", f"read {one.origin}", file, one.taken_at, undated=one.taken_at is None)
            for file, one in self.captures.items()
        ]
        return Plan(tuple(steps), facts={"files": len(steps)}, problems=tuple(problems))

    def _named(self, mistaken: Mapping[str, Problem]) -> list[Problem]:
        """Return what is no evidence, and what it is instead: the first few, and how many more."""
        named = [
            Problem.of("no-evidence.file", origin=self.captures[file].origin, why=why.text)
            for file, why in list(mistaken.items())[:_NAMED]
        ]
        more = len(mistaken) - len(named)
        return [*named, *([Problem.of("no-evidence.more", files=more)] if more else [])]

    def take(self, step: Step, options: CaptureOptions) -> Taken:
        """Return the file."""
        del options
        now = datetime.now(UTC)
        capture = self.captures[step.key]
        return Taken(step, capture, now, now, capture.problems)

    def close(self) -> None:
        """Hold nothing open: files are mapped."""


def given(words: Sequence[str]) -> list[Given]:
    """Return the targets that files, directories, archives and - are; raise when a word names nothing."""
    targets: dict[tuple[str, str], Given] = {}
    left_out: list[Problem] = []

    def complain(error: OakumError) -> None:
        if isinstance(error, UsageError) or getattr(error, "origin", "") in words:
            raise error
        left_out.append(problem_of(error))

    for word in dict.fromkeys(words):
        for capture in gather((word,), complain):
            name, file = _place(word, capture.origin)
            address = capture.target.removeprefix(REDACTED)  # what it once was taken from
            target = targets.setdefault((name, address), Given(address or word, name))
            while file in target.captures:  # two files of one name, from two directories
                file = f"{file.rpartition('/')[0] or '1'}-again/{file.rpartition('/')[2]}"
            target.captures[file] = capture
    found = list(targets.values())
    if found:
        found[0].problems += left_out
    return found


def _place(word: str, origin: str) -> tuple[str, str]:
    """Return the name of the process that a file is of, and the snapshot and name under which it is kept."""
    if origin == word:  # a file named alone: all such are one process, as `oakum diagnose` takes them
        return "given", f"1/{safe_name(Path(word).name, 'stdin')}"
    *folders, file = origin[len(word.rstrip("/")) + 1 :].split("/")
    top = "stdin" if word == "-" else Path(word).name.strip(".") or Path(word).resolve().name
    if not folders:
        return top, f"./{file}"
    *above, snapshot = folders
    return "-".join(above) or top, f"{snapshot}/{file}"
