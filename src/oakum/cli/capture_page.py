"""What a capture came to, or would, as text and JSON: targets in a few lines each, what failed, what to do next.

Everything that a server said stands here without control characters and without credentials.
"""

import shlex
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

import click

from oakum.cli.screen import safe, styled, width
from oakum.collect.course import Course, Outcome
from oakum.collect.growth import RULE
from oakum.collect.target import Plan
from oakum.collect.web.vault import hidden
from oakum.model.sizes import size

_SHOWN = 20  # targets; a fleet is in the manifest
_WIDEST = 110
_ADVICE = 4


def show(outcome: Outcome, place: str, moments: int, until_growth: bool, redacted: bool) -> None:
    """Print what was taken, what was not and why, and the next command."""
    taken = [course for course in outcome.courses if course.paths]
    failed = [course for course in outcome.courses if not course.paths]
    click.echo(_headline(outcome, taken, place))
    if redacted and taken:
        click.echo(
            "Names were replaced by tokens. Look through it before you hand it on: oakum inspect tells what is in it."
        )
    for text in _how_it_ended(outcome, taken, moments, until_growth):
        _paragraph(_clean(text), "")
    shown = sorted(taken, key=_interest)[:_SHOWN] if len(taken) > _SHOWN else taken
    for course in shown:
        click.echo()
        _title(course)
        _paragraph(_numbers(course))
        _beside(course)
    if len(shown) < len(taken):
        click.echo(f"\n... and {len(taken) - len(shown):,} more: {safe(place)} has them all")
    _failures(failed)
    _advice(outcome.courses)
    if taken:
        # A whole fleet takes its time, and tells the same many times: who has grown most comes first.
        first = shown[0].paths[0].partition("/")[0] if len(shown) < len(taken) and place.endswith("/") else ""
        named = f"./{place}{first}" if place.startswith("-") else place + first  # else it would be an option
        click.echo(f"\nNext: {styled(safe(f'oakum diagnose {shlex.quote(named)}'), 'bold')}")


def show_plan(outcome: Outcome, moments: int, every: float) -> None:
    """Print what would be asked of each target, in order, and what would be left out."""
    planned = [course for course in outcome.courses if course.plan.steps]
    failed = [course for course in outcome.courses if not course.plan.steps]
    steps = sum(len(course.plan.steps) for course in planned)
    series = f", {moments} times, {every:g} s apart" if moments > 1 else ""
    click.echo(f"{styled('Nothing was taken.', 'bold')} {_count(steps, 'thing')} would be{series}, of")
    for course in planned[:_SHOWN]:
        click.echo()
        _title(course)
        if facts := _facts(course.plan):
            _paragraph(_clean(facts))
        for number, step in enumerate(course.plan.steps, 1):
            click.echo(f"  {number:>2}  {_clean(step.ask)}")
            click.echo(styled(f"      {_clean(step.what)} → {_clean(step.file)}", "dim"))
        _beside(course)
    if len(planned) > _SHOWN:
        click.echo(f"\n... and {len(planned) - _SHOWN:,} more; --json shows them all")
    _failures(failed)
    _advice(outcome.courses)


def plan_document(outcome: Outcome) -> dict[str, Any]:
    """Return the plans as JSON shows them."""
    return {"schema": "oakum.plan/1", "targets": [_planned(course) for course in outcome.courses]}


def _planned(course: Course) -> dict[str, Any]:
    plan = course.plan
    return {
        "address": hidden(course.address),
        "name": hidden(course.name),
        "facts": {key: value if _is_plain(value) else hidden(str(value)) for key, value in plan.facts.items()},
        "steps": [{"file": step.file, "what": step.what, "ask": hidden(step.ask)} for step in plan.steps],
        "left_out": [{"what": one.what, "why": hidden(one.why), "how": one.how} for one in plan.left_out],
        "advice": [hidden(text) for text in plan.advice],
        "problems": [{"key": one.key, "text": hidden(str(one))} for one in course.problems],
    }


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, bool | int | float)


def _headline(outcome: Outcome, taken: Sequence[Course], place: str) -> str:
    if not taken:
        return styled("Nothing was captured.", "red", "bold")
    everyone = len(outcome.courses)
    who = f"{len(taken):,} of {everyone:,} targets" if len(taken) < everyone else _count(everyone, "target")
    files = sum(len(course.paths) for course in taken)
    series = max(len(course.moments) for course in taken)
    parts = [
        who,
        *([f"{series} moments"] if series > 1 else []),
        _count(files, "file"),
        size(sum(c.size for c in taken)),
    ]
    style = ("bold", "green") if len(taken) == everyone and not outcome.interrupted else ("bold",)
    return f"{styled('Captured', *style)} {', '.join(parts)} → {styled(safe(place), 'bold')}"


def _how_it_ended(outcome: Outcome, taken: Sequence[Course], moments: int, until_growth: bool) -> list[str]:
    told = ["Interrupted: what was taken by then is kept."] if outcome.interrupted else []
    if outcome.grew:
        told.append(f"Ended because it grew: {outcome.grew}.")
    elif until_growth and taken and not outcome.interrupted:
        told.append(f"No clear growth in {_count(moments, 'moment')}. Clear is: {RULE}.")
    return told


def _interest(course: Course) -> float:
    """Return what a fleet is sorted by: who has grown most, then who has most goroutines."""
    counts = course.counts.get("goroutines") or [0.0]
    return -(counts[-1] - counts[0]) * 1e6 - counts[-1]


def _title(course: Course) -> None:
    name, address = _clean(course.name), _clean(course.address)
    # http://10.0.0.7:6060 says what 10.0.0.7:6060 says
    beside = "" if name in address.partition("://")[2] or name == address else f"{styled(name, 'bold')}  "
    click.echo(beside + styled(address, "dim" if beside else "bold"))


def _numbers(course: Course) -> str:
    parts = [
        _course(course, "goroutines", lambda value: f"{value:,.0f}", "goroutines"),
        _course(course, "rss", size, "resident"),
        _course(course, "heap", size, "heap") if "rss" not in course.counts else "",
        _clean(str(course.plan.facts.get("go", ""))),
        f"{len(course.moments)} moments" if len(course.moments) > 1 else "",
        f"{_count(len(course.paths), 'file')}, {size(course.size)}",
    ]
    return " · ".join(part for part in parts if part)


def _course(course: Course, key: str, number: Callable[[float], str], unit: str) -> str:
    values = course.counts.get(key)
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


def _beside(course: Course) -> None:
    """Print what is missing of a target that gave something."""
    for left in course.plan.left_out:
        _paragraph(_clean(f"left out: {left.what}: {left.why}{f'; {left.how}' if left.how else ''}"))
    for problem in course.problems:
        _paragraph(f"{styled('!', 'red')} {_told(str(problem), course)}")


def _failures(failed: Sequence[Course]) -> None:
    for course in failed[:_SHOWN]:
        click.echo(f"\n{styled('failed', 'red', 'bold')}  {styled(_clean(course.address), 'bold')}")
        for problem in course.problems:
            _paragraph(_told(str(problem), course))
    if len(failed) > _SHOWN:
        click.echo(f"\n... and {len(failed) - _SHOWN:,} more failed; --json tells of all")


def _told(text: str, course: Course) -> str:
    """Return a problem without the address that stands above it."""
    return _clean(text.removeprefix(f"{course.address}: "))


def _advice(courses: Sequence[Course]) -> None:
    told = advice(courses)
    if told:
        click.echo(f"\n{styled('What would help; none of it is done for you:', 'bold')}")
    for text in told[:_ADVICE]:
        first, *lines = _clean(text).split("\n")
        _paragraph(f"- {first}")
        for line in lines:
            click.echo(line)  # to be copied: neither wrapped nor indented
    if len(told) > _ADVICE:
        click.echo(f"  ... and {len(told) - _ADVICE} more for other targets; --json has them all")


def advice(courses: Sequence[Course]) -> list[str]:
    """Return what would help and changes the target, the cluster or who may do what there, each once."""
    return list(dict.fromkeys(text for course in courses for text in course.advice))


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


__all__ = ["advice", "plan_document", "show", "show_plan"]
