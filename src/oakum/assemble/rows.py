"""Parts -> the list of inputs of a report: a row for each thing that was read, with why it was not used."""

from collections.abc import Iterable

from msgspec.structs import replace

from oakum.assemble.parts import Part
from oakum.model import InputRow, Problem


def input_rows(parts: Iterable[Part]) -> list[InputRow]:
    """Return a row for each thing that was read; a thousand panics in a log are one, and so is a range of metrics."""
    rows: list[InputRow] = []
    stacks: dict[str, int] = {}
    ranges: set[tuple[str, ...]] = set()
    for one in parts:
        if one.ranged:  # one row for all samples of a process that one answer tells of
            notes = one.reading.notes
            whole = (one.capture.origin, notes.get("process", ""), notes.get("run", ""))
            if whole in ranges:
                continue
            ranges.add(whole)
        if one.single_stack and one.problems:
            stacks[one.capture.origin] = stacks.get(one.capture.origin, 0) + 1
            if stacks[one.capture.origin] > 1:
                continue
        rows.append(_row(one))
    return [_counted(row, stacks.get(row.origin, 0)) for row in rows]


def _counted(row: InputRow, stacks: int) -> InputRow:
    if stacks < 2 or not any(problem.key in ("one-stack", "log-beside-moments") for problem in row.problems):
        return row
    told = Problem.of("stacks", stacks=stacks)
    return replace(row, problems=(told,))


def _row(part: Part) -> InputRow:
    reading = part.reading
    problems = (*reading.problems, *part.problems)
    return InputRow(part.capture.origin, reading.kind, reading.format, part.capture.digest, reading.taken_at, problems)
