"""Every number of a page can be derived again: the commands beside them are run, and print the numbers of the claims."""

import io
import re
import shlex
import sys
from collections.abc import Iterator
from functools import cache

import pytest
from msgspec.structs import replace

from diagnosed import RECORDED, at_the_root, diagnosed
from diagnoses import leak, rich
from oakum.cli import run
from oakum.model import Diagnosis, Finding, Growth, Memory, Point, Text
from oakum.model.diagnosis import Argument
from oakum.report.page.charts import MEASURES
from oakum.report.page.derive import NEAREST, Derive

# What a sentence adds to the numbers that a view prints: how many moments, steps and samples there were, rates.
ADDED = {"moments", "rises", "steps", "samples", "percent", "objects", "each", "first", "peak", "rate", "goroutines"}
ADDED |= {"oldest", "youngest", "child", "parent", "twin", "ours"}
QUICK = ("leaking", "locks", "outside", "journal")  # the others read more captures
SICK = [
    pytest.param(name, marks=() if name in QUICK else pytest.mark.slow)
    for name in sorted(RECORDED)
    if name != "healthy"
]
UNITS = {"B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
SIZE = re.compile(r"(?<![\w.])(\d[\d,]*(?:\.\d+)?) ?(B|kB|MB|GB|KiB|MiB|GiB)\b")


@cache
def shown(command: str) -> tuple[int, str]:
    """Run a command as it stands on the page and return its exit code and what it printed."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = out, err
    try:
        with at_the_root():
            code = run(shlex.split(command)[1:])
    finally:
        sys.stdout, sys.stderr = before
    out.flush()
    assert isinstance(out.buffer, io.BytesIO)
    return code, out.buffer.getvalue().decode()


def has_number(text: str, number: int) -> bool:
    return re.search(rf"(?<![\d.,]){number:,}(?![\d,]*\d)", text) is not None or f" {number} " in text


def has_size(text: str, size: float) -> bool:
    """Tell whether a size is printed, as exactly as views print it."""
    told = [float(number.replace(",", "")) * UNITS[unit] for number, unit in SIZE.findall(text)]
    return size == 0 or any(abs(one - size) <= max(0.006 * size, 64) for one in told)


def numbers(args: dict[str, Argument]) -> Iterator[int]:
    for name, value in args.items():
        if name not in ADDED and isinstance(value, int | tuple):
            yield from (value,) if isinstance(value, int) else value


def sizes(args: dict[str, Argument]) -> Iterator[float]:
    for name in ("last", "ours", "twin"):
        if isinstance(value := args.get(name), str) and (found := SIZE.search(value)):
            yield float(found[1].replace(",", "")) * UNITS[found[2]]


@pytest.mark.parametrize("name", SICK)
def test_the_command_beside_a_claim_prints_its_numbers(name: str) -> None:
    diagnosis = diagnosed(name)
    derive = Derive(diagnosis)
    assert diagnosis.findings
    for found in diagnosis.findings:
        for one in found.suspect.evidence:
            command = derive.claim(found, one)
            assert command, f"{one.kind} has no command"
            code, text = shown(command)
            assert code in (0, 1), command
            assert text.strip()
            if one.kind in NEAREST:
                continue
            args = {name: value for name, value in one.claim.args.items() if not isinstance(value, Text)}
            missing: list[float] = [number for number in numbers(args) if not has_number(text, number)]
            missing += [size for size in sizes(args) if not has_size(text, size) and not is_part(found)]
            assert not missing, f"{one.kind}: {missing} is not in what {command} prints:\n{text}"


def is_part(found: Finding) -> bool:
    """Tell whether a finding counts only the stacks of a place that lead through a registration: views count all."""
    return any(site.role == "registered" for site in found.suspect.sites)


@pytest.mark.parametrize("name", SICK)
def test_the_command_beside_a_growth_prints_its_series(name: str) -> None:
    diagnosis = diagnosed(name)
    derive = Derive(diagnosis)
    for found in diagnosis.findings:
        for growth in found.suspect.growth:
            command = derive.growth(found, growth)
            code, text = shown(command)
            assert code in (0, 1), command
            if growth.measure in ("inuse_space", "inuse_objects") and is_part(found):
                continue
            missing = [count for count in growth.counts if count is not None and not tells(text, growth, count)]
            assert not missing, f"{growth.measure}: {missing} is not in what {command} prints:\n{text}"


def tells(text: str, growth: Growth, count: int) -> bool:
    return has_size(text, count) if growth.measure in ("inuse_space", "rss") else has_number(text, count)


@pytest.mark.parametrize("name", ["leaking", "outside", pytest.param("peers", marks=pytest.mark.slow)])
def test_the_command_beside_a_total_prints_it(name: str) -> None:
    """The live heap is computed of what the collector marked, and printed nowhere: the nearest is what is in use."""
    diagnosis = diagnosed(name)
    derive = Derive(diagnosis)
    for row in diagnosis.processes:
        for measure in MEASURES:
            points = [one for one in diagnosis.timeline if one.process == row.id and measure in one.totals]
            if len(points) < 2:
                continue
            command = derive.totals(row.id, measure)
            code, text = shown(command)
            assert code in (0, 1), command
            for point in points if measure != "heap_live" else ():
                told = has_number(text, point.totals[measure]) or has_size(text, point.totals[measure])
                assert told, f"{measure} {point.totals[measure]} is not in what {command} prints:\n{text}"


def test_the_budget_is_derived_from_the_last_moment() -> None:
    diagnosis = diagnosed("leaking")
    command = Derive(diagnosis).budget(diagnosis.memory[0])
    assert "5-later/" in command
    assert "1-before/" not in command
    code, text = shown(command)
    assert code == 0
    assert has_size(text, float(diagnosis.memory[0].rss or 0))


@pytest.mark.parametrize("kind", ["heap", "goroutine"])
def test_the_picture_is_drawn_again_by_its_command(kind: str) -> None:
    command = Derive(diagnosed("leaking")).flame(kind)
    code, text = shown(f"{command} --format folded")
    assert code == 0
    assert "watch.(*StreamWatcher).receive" in text


def test_what_cannot_be_read_again_has_no_command() -> None:
    diagnosis = rich()
    piped = replace(diagnosis, inputs=tuple(replace(row, origin="-") for row in diagnosis.inputs), called=("-",))
    derive = Derive(piped)
    found = piped.findings[0]
    assert [derive.claim(found, one) for one in found.suspect.evidence] == ["", ""]
    assert derive.growth(found, found.suspect.growth[0]) == ""
    assert (derive.everything(), derive.inspecting(), derive.listed(found)) == ("", "", "")
    assert derive.budget(Memory()) == ""


def test_no_command_is_endless() -> None:
    diagnosis = rich()
    long = replace(diagnosis, called=("x" * 100_000,))
    assert Derive(long).everything() == ""
    many = many_moments(diagnosis, 400)
    command = Derive(many).growth(many.findings[0], many.findings[0].suspect.growth[0])
    assert command.count("goroutine.txt") == 2


def many_moments(diagnosis: Diagnosis, count: int) -> Diagnosis:
    first = diagnosis.inputs[0]
    rows = tuple(replace(first, origin=f"m{at}/goroutine.txt", digest=f"sha256:{at:064x}") for at in range(count))
    moments = tuple(replace(diagnosis.moments[0], inputs=(row.digest,), label=row.origin) for row in rows)
    points = tuple(Point("p1", None, row.origin, totals={"goroutines": 3}, inputs=(row.digest,)) for row in rows)
    return replace(diagnosis, inputs=rows, moments=moments, timeline=points)


def test_what_the_source_says_is_shown_by_list() -> None:
    found = leak()
    derive = Derive(replace(rich(), called=("--source", "src", "captures")))
    for kind in ("cause-in-source", "never-removed", "bounded", "ends-by-itself"):
        claim = replace(found.suspect.evidence[0], kind=kind)
        assert derive.claim(found, claim).startswith("oakum list --finding 1 --source src"), kind
