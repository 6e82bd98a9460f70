"""What a capture came to, or would, as text and JSON: targets in a few lines each, what failed, what to do next.

Everything that a server said is here without control characters and without credentials.
"""

import shlex
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

import click

from oakum.cli.screen import safe, styled, width
from oakum.collect.capture_run import CaptureOutcome, TargetResult
from oakum.collect.growth import RULE
from oakum.collect.target import Plan
from oakum.collect.web.vault import hidden
from oakum.model.sizes import size
from oakum.report.words.lines import problem_line, worded

_SHOWN = 20  # targets; a fleet is in the manifest
_WIDEST = 110
_ADVICE = 4


def show(outcome: CaptureOutcome, place: str, snapshots: int, until_growth: bool, redacted: bool) -> None:
    """Print what was taken, what was not and why, and the next command."""
    taken = [result for result in outcome.results if result.paths]
    failed = [result for result in outcome.results if not result.paths]
    click.echo(_headline(outcome, taken, place))
    if redacted and taken:
        click.echo("Names were replaced by tokens. Check it before you share it: oakum inspect lists its contents.")
    for text in _how_it_ended(outcome, taken, snapshots, until_growth):
        _paragraph(_clean(text), "")
    shown = sorted(taken, key=_interest)[:_SHOWN] if len(taken) > _SHOWN else taken
    for result in shown:
        click.echo()
        _title(result)
        _paragraph(_numbers(result))
        _print_missing(result)
    if len(shown) < len(taken):
        click.echo(f"\n... and {len(taken) - len(shown):,} more: {safe(place)} has them all")
    _failures(failed)
    _advice(outcome.results)
    if taken:
        # A whole fleet takes its time, and tells the same many times: who has grown most comes first.
        first = shown[0].paths[0].partition("/")[0] if len(shown) < len(taken) and place.endswith("/") else ""
        named = f"./{place}{first}" if place.startswith("-") else place + first  # else it would be an option
        click.echo(f"\nNext: {styled(safe(f'oakum diagnose {shlex.quote(named)}'), 'bold')}")


def show_plan(outcome: CaptureOutcome, snapshots: int, every: float) -> None:
    """Print what would be asked of each target, in order, and what would be left out."""
    planned = [result for result in outcome.results if result.plan.steps]
    failed = [result for result in outcome.results if not result.plan.steps]
    steps = sum(len(result.plan.steps) for result in planned)
    series = f", {snapshots} times, {every:g} s apart" if snapshots > 1 else ""
    click.echo(f"{styled('Dry run: nothing was captured.', 'bold')} {_count(steps, 'request')} planned{series}:")
    for result in planned[:_SHOWN]:
        click.echo()
        _title(result)
        if facts := _facts(result.plan):
            _paragraph(_clean(facts))
        for number, step in enumerate(result.plan.steps, 1):
            click.echo(f"  {number:>2}  {_clean(step.ask)}")
            click.echo(styled(f"      {_clean(step.what)} → {_clean(step.file)}", "dim"))
        _print_missing(result)
    if len(planned) > _SHOWN:
        click.echo(f"\n... and {len(planned) - _SHOWN:,} more; --json shows them all")
    _failures(failed)
    _advice(outcome.results)


def plan_document(outcome: CaptureOutcome) -> dict[str, Any]:
    return {"schema": "oakum.plan/1", "targets": [_planned(result) for result in outcome.results]}


def _planned(result: TargetResult) -> dict[str, Any]:
    plan = result.plan
    return {
        "address": hidden(result.address),
        "name": hidden(result.name),
        "facts": {key: value if _is_plain(value) else hidden(str(value)) for key, value in plan.facts.items()},
        "steps": [{"file": step.file, "what": step.what, "ask": hidden(step.ask)} for step in plan.steps],
        "left_out": [
            {name: hidden(worded(getattr(one, name))) for name in ("what", "why", "how")} for one in plan.left_out
        ],
        "advice": [hidden(worded(text)) for text in plan.advice],
        "problems": [{"key": one.key, "text": hidden(problem_line(one))} for one in result.problems],
    }


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, bool | int | float)


def _headline(outcome: CaptureOutcome, taken: Sequence[TargetResult], place: str) -> str:
    if not taken:
        return styled("Nothing was captured.", "red", "bold")
    everyone = len(outcome.results)
    who = f"{len(taken):,} of {everyone:,} targets" if len(taken) < everyone else _count(everyone, "target")
    files = sum(len(result.paths) for result in taken)
    series = max(len(result.snapshots) for result in taken)
    parts = [
        who,
        *([f"{series} snapshots"] if series > 1 else []),
        _count(files, "file"),
        size(sum(c.size for c in taken)),
    ]
    style = ("bold", "green") if len(taken) == everyone and not outcome.interrupted else ("bold",)
    return f"{styled('Captured', *style)} {', '.join(parts)} → {styled(safe(place), 'bold')}"


def _how_it_ended(
    outcome: CaptureOutcome, taken: Sequence[TargetResult], snapshots: int, until_growth: bool
) -> list[str]:
    told = ["Interrupted: captures so far are kept."] if outcome.interrupted else []
    if outcome.grew:
        told.append(f"Stopped because of growth: {outcome.grew}.")
    elif until_growth and taken and not outcome.interrupted:
        told.append(f"No clear growth in {_count(snapshots, 'snapshot')}. Growth is clear when {RULE}.")
    return told


def _interest(result: TargetResult) -> float:
    """Return what a fleet is sorted by: who has grown most, then who has most goroutines."""
    counts = result.counts.get("goroutines") or [0.0]
    return -(counts[-1] - counts[0]) * 1e6 - counts[-1]


def _title(result: TargetResult) -> None:
    name, address = _clean(result.name), _clean(result.address)
    # http://10.0.0.7:6060 says what 10.0.0.7:6060 says
    beside = "" if name in address.partition("://")[2] or name == address else f"{styled(name, 'bold')}  "
    click.echo(beside + styled(address, "dim" if beside else "bold"))


def _numbers(result: TargetResult) -> str:
    parts = [
        _first_to_last(result, "goroutines", lambda value: f"{value:,.0f}", "goroutines"),
        _first_to_last(result, "rss", size, "resident"),
        _first_to_last(result, "heap", size, "heap") if "rss" not in result.counts else "",
        _clean(str(result.plan.facts.get("go", ""))),
        f"{len(result.snapshots)} snapshots" if len(result.snapshots) > 1 else "",
        f"{_count(len(result.paths), 'file')}, {size(result.size)}",
    ]
    return " · ".join(part for part in parts if part)


def _first_to_last(result: TargetResult, key: str, number: Callable[[float], str], unit: str) -> str:
    values = result.counts.get(key)
    if not values:
        return ""
    first, last = number(values[0]), number(values[-1])
    return f"{last} {unit}" if first == last else f"{first} → {styled(last, 'bold')} {unit}"


def _facts(plan: Plan) -> str:
    """Return what looking told, in the plan's own words."""
    known: dict[str, Callable[[Any], str]] = {
        "goroutines": lambda value: f"{value:,} goroutines",
        "rss": lambda value: f"{size(value)} resident",
        "heap": lambda value: f"{size(value)} heap",
        "collections": lambda value: _count(value, "collection"),
        "threads": lambda value: _count(value, "thread"),
    }
    parts = []
    for key, value in plan.facts.items():
        if isinstance(value, dict | list | tuple):
            continue
        parts.append(known[key](value) if key in known and isinstance(value, int | float) else f"{key} {value}")
    return " · ".join(parts)


def _print_missing(result: TargetResult) -> None:
    for left in result.plan.left_out:
        how = f"; {worded(left.how)}" if left.how else ""
        _paragraph(_clean(f"left out: {worded(left.what)}: {worded(left.why)}{how}"))
    for problem in result.problems:
        _paragraph(f"{styled('!', 'red')} {_without_address(problem_line(problem), result)}")


def _failures(failed: Sequence[TargetResult]) -> None:
    for result in failed[:_SHOWN]:
        click.echo(f"\n{styled('failed', 'red', 'bold')}  {styled(_clean(result.address), 'bold')}")
        for problem in result.problems:
            _paragraph(_without_address(problem_line(problem), result))
    if len(failed) > _SHOWN:
        click.echo(f"\n... and {len(failed) - _SHOWN:,} more failed; --json lists all")


def _without_address(text: str, result: TargetResult) -> str:
    """Return a problem without the address that stands above it."""
    return _clean(text.removeprefix(f"{result.address}: "))


def _advice(results: Sequence[TargetResult]) -> None:
    told = advice(results)
    if told:
        click.echo(f"\n{styled('What would help (oakum does not change the target):', 'bold')}")
    for text in told[:_ADVICE]:
        first, *lines = _clean(text).split("\n")
        _paragraph(f"- {first}")
        for line in lines:
            click.echo(line)  # to be copied: neither wrapped nor indented
    if len(told) > _ADVICE:
        click.echo(f"  ... and {len(told) - _ADVICE} more for other targets; --json has them all")


def advice(results: Sequence[TargetResult], lang: str = "en") -> list[str]:
    """Return what would help and changes the target, the cluster or who may do what there, each once."""
    return list(dict.fromkeys(worded(text, lang) for result in results for text in result.advice))


def _clean(text: str) -> str:
    """Return what others said, harmless for the terminal and without credentials; its lines stay lines."""
    return "\n".join(safe(line) for line in hidden(text).split("\n"))


def _paragraph(text: str, indent: str = "  ") -> None:
    """Print a text below a title, as wide as the terminal; lines that begin with a space are kept as they are."""
    columns = width()
    for line in text.split("\n"):
        if columns is None or line.startswith(" "):
            click.echo(f"{indent}{line}")
            continue
        room = max(40, min(columns, _WIDEST))
        filled = textwrap.wrap(line, room - len(indent) - 2, break_long_words=False, break_on_hyphens=False)
        click.echo("\n".join(f"{indent}{'  ' * bool(at)}{part}" for at, part in enumerate(filled)))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
