"""Findings and what metrics and logs show of their processes -> the findings with that as evidence. Decides nothing.

What a process follows is said of its first finding of that measure; a log is evidence where its stacks name code of a
finding, or its lines name a client while the process grew.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from oakum.model import Evidence, Finding, PerEvent
from oakum.model.signals import Driver, Log, Named, Signal, Tally
from oakum.model.sizes import size
from oakum.model.text import Argument, Text

# The measure of a finding's growth -> that of a signal.
_MEASURES = {"goroutines": "goroutines", "inuse_space": "heap", "inuse_objects": "heap", "rss": "rss"}
_SURE = 0.5  # more than half of the lines that name anybody
_PLACES_MOST = 3


def with_signals(
    findings: Sequence[Finding], signals: Sequence[Signal], logs: Sequence[Log], named: Mapping[int, Sequence[Named]],
    firsts: Mapping[str, str],
) -> tuple[Finding, ...]:  # fmt: skip
    """Return the findings with what signals and logs say of them.

    `named` has whom the lines of a tally name, by its id; `firsts` the first run of each process.
    """
    told: set[tuple[str, str]] = set()
    found = []
    for one in findings:
        process = firsts.get(one.suspect.sites[0].process, one.suspect.sites[0].process)
        new: list[Evidence] = []
        for growth in one.suspect.growth:
            key = process, _MEASURES[growth.measure]
            signal = next((each for each in signals if (each.process, each.measure) == key), None)
            if signal is not None and signal.drivers and key not in told:
                told.add(key)
                new.append(_follows(signal, signal.drivers[0]))
                one = _per_event(one, signal)
        logged = [log for log in logs if log.process in (process, "")]
        new += [evidence for log in logged for evidence in _in_log(one, log)]
        if _first(one, findings):
            new += [evidence for log in logged for evidence in _named(log, named)]
        found.append(replace(one, suspect=replace(one.suspect, evidence=(*one.suspect.evidence, *new))) if new else one)
    return tuple(found)


def _first(one: Finding, findings: Sequence[Finding]) -> bool:
    """Tell whether it is the first finding of its process."""
    process = one.suspect.sites[0].process
    return next(each.id for each in findings if each.suspect.sites[0].process == process) == one.id


def _follows(signal: Signal, driver: Driver) -> Evidence:
    show = (lambda value: f"{value:.2f}") if signal.measure == "goroutines" else size
    whose = f"{driver.process}: {driver.event}" if driver.process else driver.event
    args: dict[str, Argument] = {
        "event": whose, "value": show(driver.value), "low": show(driver.low), "high": show(driver.high),
        "explains": driver.explains, "lag": driver.lag,
    }  # fmt: skip
    return Evidence("follows-work", Text(f"signals.follows.{signal.measure}", args), driver.source)


def _per_event(found: Finding, signal: Signal) -> Finding:
    """Return a finding of the process as a whole with what its growth follows."""
    driver = signal.drivers[0]
    if not found.suspect.sites[0].frame.function.startswith("("):
        return found
    event = PerEvent(driver.event, driver.value, driver.low, driver.high)
    growth = tuple(
        replace(one, per_event=event) if _MEASURES[one.measure] == signal.measure and one.per_event is None else one
        for one in found.suspect.growth
    )
    return replace(found, suspect=replace(found.suspect, growth=growth))


def _in_log(found: Finding, log: Log) -> Iterator[Evidence]:
    """Yield the places of a finding that stacks in a log name."""
    frames = [site.frame for site in found.suspect.sites]
    frames += [site.frame for site in found.cause.sites] if found.cause else []
    for tally in log.tallies:
        places: dict[str, int] = {}
        for frame in frames:
            file = frame.file.replace("\\", "/").rpartition("/")[2]
            for place in (f"{file}:{frame.line}", frame.function):
                if place in tally.places and frame.owner not in ("runtime", "stdlib"):
                    places[place] = tally.places[place]
        for place, stacks in [*places.items()][:_PLACES_MOST]:
            claim = Text("signals.log-place", {"stacks": stacks, "place": place})
            yield Evidence("log-lines", claim, log.source, tally.where, tally.excerpt)


def _named(log: Log, named: Mapping[int, Sequence[Named]]) -> Iterator[Evidence]:
    for tally in log.tallies:
        yield from _names(log, tally, named.get(id(tally), ()))


def _names(log: Log, tally: Tally, named: Sequence[Named]) -> Iterator[Evidence]:
    for one in named:
        if one.lines > _SURE * one.of:
            args: dict[str, Argument] = {"of": one.of, "share": one.lines / one.of, "name": one.name}
            claim = Text(f"signals.named.{tally.kind}.{one.field}", args)
            yield Evidence("log-lines", claim, log.source, tally.where, tally.excerpt)
