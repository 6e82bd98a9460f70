"""Ranges of metrics whose driver and onset are known -> is what the diagnosis names right? Part of `accuracy`.

Recorded ones are declared in casebook/CASE/signals.toml, simulated ones in signal_cases.py. A wrong driver counts worse
than none: nothing at all is said where nothing stands out.
"""

import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct, convert

from casebook.runner.case import CASEBOOK, read_toml
from casebook.runner.signal_cases import CASES, SignalCase, SignalTruth, answer
from oakum.cli.evidence import read
from oakum.diagnose import diagnose
from oakum.model.signals import Signal
from oakum.pipeline.case import assemble_case


class SignalScore(Struct, frozen=True):
    """What was said of one range, beside what is true."""

    name: str
    simulated: bool
    truth: SignalTruth
    said: Signal | None  # None: that it grew at all was not seen

    @property
    def driver(self) -> str:
        """Return `right`, `none` (nothing is said though something drives it) or `wrong`."""
        named = self.said.drivers[0].event if self.said and self.said.drivers else ""
        if not named:
            return "none" if self.truth.drivers else "right"
        return "right" if named in self.truth.drivers else "wrong"

    @property
    def per_unit(self) -> bool | None:
        """Tell whether the interval of growth per unit holds the truth; None where no driver was rightly named."""
        if self.truth.per_unit is None or self.driver != "right" or not self.said or not self.said.drivers:
            return None
        return self.said.drivers[0].low <= self.truth.per_unit <= self.said.drivers[0].high

    @property
    def lag(self) -> bool | None:
        """Tell whether the lag is right within a tenth, or half a minute; None as for growth per unit."""
        if self.truth.lag is None or self.driver != "right" or not self.said or not self.said.drivers:
            return None
        return abs(self.said.drivers[0].lag - self.truth.lag) <= max(30.0, self.truth.lag / 10)

    @property
    def onset(self) -> bool | None:
        """Tell whether the interval of the onset holds the truth; None where the truth is not known."""
        if self.truth.onset is None:
            return None
        said = self.said.onset if self.said else None
        return said is not None and said.low <= self.truth.onset <= said.high


def signal_scores(cases: Sequence[str] = ()) -> Iterator[SignalScore]:
    """Yield what is said of every range whose truth is known, or of those of some cases."""
    for path in sorted(CASEBOOK.glob("*/signals.toml")):
        if cases and path.parent.name not in cases:
            continue
        for truth in convert(read_toml(path)["truth"], list[SignalTruth]):
            yield SignalScore(path.parent.name, False, truth, _said(path.parent / truth.range, truth))
    yield from map(scored, () if cases else CASES)


def scored(case: SignalCase) -> SignalScore:
    """Return what is said of a simulated range."""
    with tempfile.TemporaryDirectory(prefix="signals-") as folder:
        kept = Path(folder) / f"{case.name}.json"
        kept.write_text(json.dumps(answer(case)), encoding="utf-8")
        return SignalScore(case.name, True, case.truth, _said(kept, case.truth))


def _said(path: Path, truth: SignalTruth) -> Signal | None:
    told = diagnose(assemble_case(read([str(path)])).case)
    names = {one.id: one.name for one in told.processes}
    fitting = (one for one in told.signals if one.measure == truth.measure and truth.process in names[one.process])
    return next(fitting, None)


def signal_table(scores: Sequence[SignalScore]) -> str:
    """Return how often drivers and onsets were right, as Markdown."""
    rows = [
        "| signals | ranges | driver right | none named | wrong driver | growth per unit | lag | onset |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for label, some in (
        ("recorded", [one for one in scores if not one.simulated]),
        ("simulated", [one for one in scores if one.simulated]),
    ):
        if some:
            kinds = [one.driver for one in some]
            counts = [str(kinds.count(kind)) for kind in ("right", "none", "wrong")]
            held = [_held([told for one in some if (told := getattr(one, name)) is not None]) for name in _HELD]
            rows.append(f"| {' | '.join((label, str(len(some)), *counts, *held))} |")
    return "\n".join(rows)


_HELD = ("per_unit", "lag", "onset")


def _held(told: Sequence[bool]) -> str:
    return f"{sum(told)} of {len(told)}"


def signal_misses(scores: Sequence[SignalScore]) -> list[str]:
    """Return a line for each range of which something was said that is not so."""
    found = []
    for one in scores:
        if one.driver != "right" or False in (one.per_unit, one.lag, one.onset):
            driver = one.said.drivers[0] if one.said and one.said.drivers else None
            named = f"{driver.event}: {driver.value} [{driver.low}, {driver.high}]" if driver else "no driver"
            lag = f", {driver.lag} s later" if driver else ""
            began = (
                f"{one.said.onset.low:%H:%M:%S} to {one.said.onset.high:%H:%M:%S}"
                if one.said and one.said.onset
                else "-"
            )
            found.append(f"{one.name}, {one.truth.measure}: {named}{lag}; onset {began}")
    return found
