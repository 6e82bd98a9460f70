"""What a recheck found -> its verdict, and the page and the document that tell it.

Comes in: how the captures of a report differ from what it names, and its document beside the one derived again. What
depends on source or on Go that is not here is set apart: it is neither confirmed nor refuted.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

from msgspec import Struct, field

from oakum.report.differences import NOTHING, Difference
from oakum.report.pen import Pen

SCHEMA = "oakum.recheck/1"
Why = Literal["source", "found", "go"]
Verdict = Literal["identical", "differs", "unsettled"]
_SHOWN_MOST = 20
_LONG = 90  # characters of one value
_DIGEST = len("sha256:") + 16  # characters of a digest: enough to tell two apart
_COLOURS = {"identical": "green", "differs": "red", "unsettled": "magenta"}
# What a finding has from its source, and what follows from that.
_FROM_SOURCE = {"cause", "remedies", "leads", "mechanism", "confidence", "title", "key", "args", "rank", "commands"}
_OF_FINDINGS = {"verdict", "summary", "explained", "gaps"}
_NAMES = ("title", "text", "claim", "because", "what", "function", "origin")  # what a row is called by, the best first
_FINDING = re.compile(r"findings\[(\d+)\](?:\.(\w+))?")


class Rechecked(Struct, frozen=True):
    """What came of deriving a report again."""

    report: str  # its name
    captures: int
    numbers: int = 0
    sentences: int = 0
    missing: tuple[str, ...] = ()
    gone: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))  # words that lead nowhere: captures
    changed: tuple[Difference, ...] = ()  # of digests, by origin
    extra: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    open: tuple[tuple[Why, Difference], ...] = ()
    page: tuple[Difference, ...] = ()  # of an HTML page; the path is a line of its text
    markup: bool = False  # its text is right, its markup is not
    paged: bool = False  # it was a page, and its text was compared
    made_by: str = ""
    tool: str = ""

    @property
    def verdict(self) -> Verdict:
        """Return whether the report is what its evidence gives."""
        if self.changed or self.extra or self.differences or self.page or self.markup:
            return "differs"
        return "unsettled" if self.missing or self.open else "identical"

    @property
    def count(self) -> int:
        """Return how many differences there are."""
        return len(self.changed) + len(self.extra) + len(self.differences) + len(self.page) + self.markup


def set_apart(
    found: Sequence[Difference], report: Mapping[str, Any], derived: Mapping[str, Any], *, go: bool
) -> tuple[tuple[Difference, ...], tuple[tuple[Why, Difference], ...]]:
    """Return the differences that stand, and those that depend on source, or on Go, that is not here."""
    lacking = _lacking(report, derived)
    stand: list[Difference] = []
    apart: list[tuple[Why, Difference]] = []
    for one in found:
        why = _why(one, report, lacking, go=go)
        if why is None:
            stand.append(one)
        else:
            apart.append((why, one))
    return tuple(stand), tuple(apart)


def _lacking(report: Mapping[str, Any], derived: Mapping[str, Any]) -> dict[str, Why]:
    """Return, by id, the findings whose source was read on one side alone, and a gap on the other says so."""
    theirs = {one["id"]: one for one in derived["findings"]}
    gone, was_gone = _unread(derived), _unread(report)
    lacking: dict[str, Why] = {}
    for one in report["findings"]:
        other = theirs.get(one["id"])
        if one["cause"] and gone and not (other and other["cause"]):
            lacking[one["id"]] = "source"
        elif other and other["cause"] and was_gone and not one["cause"]:
            lacking[one["id"]] = "found"
    return lacking


def _unread(document: Mapping[str, Any]) -> bool:
    return any(gap["key"].startswith("gap.source-") for gap in document["gaps"])


def _why(one: Difference, report: Mapping[str, Any], lacking: Mapping[str, Why], *, go: bool) -> Why | None:
    """Return on what a difference depends that is not here; None when it stands."""
    place = _FINDING.match(one.path)
    if place is None:
        return next(iter(lacking.values()), None) if re.match(r"\w+", one.path)[0] in _OF_FINDINGS else None  # type: ignore[index]
    at, part = int(place[1]), place[2]
    row = report["findings"][at] if at < len(report["findings"]) else None
    if row is None or part is None:
        return next(iter(lacking.values()), None)
    why = lacking.get(row["id"])
    if why and (part in _FROM_SOURCE or (part == "evidence" and _explained(one))):
        return why
    if part == "rank" and lacking:
        return next(iter(lacking.values()))
    drafted = any(remedy["diff"] for remedy in row["remedies"])
    return "go" if part == "remedies" and drafted and not go else None


def _explained(one: Difference) -> bool:
    """Tell whether a claim is that the source shows it."""
    sides = [side for side in (one.report, one.evidence) if isinstance(side, Mapping)]
    return any(side.get("kind") == "cause-in-source" for side in sides)


def document(found: Rechecked) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "report": found.report,
        "verdict": found.verdict,
        "made_by": found.made_by,
        "tool": found.tool,
        "captures": found.captures,
        "numbers": found.numbers,
        "sentences": found.sentences,
        "missing": list(found.missing),
        "changed": [_pair(one) for one in found.changed],
        "extra": list(found.extra),
        "differences": [_pair(one) for one in found.differences],
        "page": [_pair(one) for one in found.page],
        "markup_differs": found.markup,
        "not_derived": [{"why": why, **_pair(one)} for why, one in found.open],
    }


def _pair(one: Difference) -> dict[str, Any]:
    sides = {"report": one.report, "evidence": one.evidence}
    return {"path": one.path, **{name: value for name, value in sides.items() if value is not NOTHING}}


def render(found: Rechecked, pen: Pen, again: str) -> str:
    """Return the page; `again` is what to type where captures are missing."""
    return "\n".join(_lines(found, pen, again)) + "\n"


def _lines(found: Rechecked, pen: Pen, again: str) -> Iterator[str]:
    badge = pen.look.styled(pen.word(f"recheck.badge.{found.verdict}"), "bold", _COLOURS[found.verdict])
    numbers = {"numbers": found.numbers, "sentences": found.sentences, "captures": found.captures}
    if found.verdict == "identical":
        head = pen.word("recheck.identical", **numbers)
    else:
        head = pen.word(f"recheck.{found.verdict}", count=found.count)
    indent = pen.look.width_of(pen.word(f"recheck.badge.{found.verdict}")) + 2
    first, *rest = pen.wrapped(head, indent)
    yield f"{badge}  {pen.look.styled(first.strip(), 'bold')}"
    yield from rest
    if found.verdict == "identical" and found.paged:
        yield f"   {pen.word('recheck.identical-page')}"
    if found.verdict != "identical" and found.numbers:
        yield f"   {pen.word('recheck.derived', **numbers)}"
    if found.made_by != found.tool:
        yield from pen.wrapped(pen.word("recheck.version", report=found.made_by[:40], tool=found.tool), 3)
    yield from _listed(pen, "missing", list(_missing(found, pen)))
    if found.missing:
        yield from pen.wrapped(pen.word("recheck.do.missing"), 3)
        yield f"     {pen.command(again)}"
    yield from _listed(pen, "changed", [_told(pen, one, "recheck.digest") for one in found.changed])
    yield from _listed(pen, "extra", [pen.look.safe(name) for name in found.extra])
    yield from _listed(pen, "values", [_told(pen, one) for one in found.differences])
    yield from _listed(pen, "page", [_told(pen, one, place="recheck.page-line") for one in found.page])
    if found.markup:
        yield from _listed(pen, "page", [pen.word("recheck.page-markup")])
    yield from _listed(pen, "open", [pen.look.safe(line) for line in _parts(found)])
    for why in dict.fromkeys(why for why, _ in found.open):
        yield from pen.wrapped(pen.word(f"recheck.do.{why}"), 3)


def _missing(found: Rechecked, pen: Pen) -> Iterator[str]:
    """Yield what is not there: a folder that is gone in one line."""
    for word, count in found.gone.items():
        yield pen.word("recheck.gone", word=word, count=count)
    for name in found.missing:
        if not any(name == word or name.startswith(f"{word.rstrip('/')}/") for word in found.gone):
            yield pen.look.safe(name)


def _parts(found: Rechecked) -> list[str]:
    """Return what was not derived again, finding by finding: which parts of it."""
    parts: dict[str, dict[str, None]] = {}
    for _, one in found.open:
        whole, _, part = one.path.partition(".") if one.path.startswith("findings[") else (one.path, "", "")
        parts.setdefault(re.sub(r"^(?!findings)(\w+)\W.*", r"\1", whole), {})[re.split(r"\W", part)[0]] = None
    return [f"{whole}: {', '.join(names)}" if any(names) else whole for whole, names in parts.items()]


def _listed(pen: Pen, heading: str, told: Sequence[str]) -> Iterable[str]:
    if not told:
        return
    yield ""
    yield pen.look.styled(pen.word(f"recheck.heading.{heading}"), "bold")
    for one in told[:_SHOWN_MOST]:
        first, *rest = pen.wrapped(one, 5, pad=False)
        yield f"   {first}"
        yield from (f"     {line}" for line in rest)
    if len(told) > _SHOWN_MOST:
        yield f"   {pen.word('recheck.more', count=len(told) - _SHOWN_MOST)}"


def _told(pen: Pen, one: Difference, both: str = "recheck.both", place: str = "") -> str:
    where = pen.word(place, line=one.path) if place else pen.look.safe(one.path[:_LONG])
    key = (
        "recheck.only-report" if one.evidence is NOTHING else "recheck.only-evidence" if one.report is NOTHING else both
    )
    ours, theirs = _short(one.report), _short(one.evidence)
    begin = max(0, _alike(ours, theirs) - _LONG // 3) if ours != theirs else 0
    quotes = "“”" if pen.look.lang == "zh" else '""'
    told = pen.word(key, report=_cut(one.report, begin, quotes), evidence=_cut(one.evidence, begin, quotes))
    return f"{where}{pen.colon}{told}"


def _alike(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _short(value: Any) -> str:
    """Return a value as text; of something large, what it is called."""
    if isinstance(value, Mapping):
        value = next((value[name] for name in _NAMES if value.get(name)), value)
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _cut(value: Any, begin: int, quotes: str) -> str:
    """Return the part of a value in which it differs from another."""
    text = _short(value)
    if text.startswith("sha256:"):
        return f"{text[:_DIGEST]}…"
    begin = begin if len(text) > _LONG else 0
    part = f"{'…' if begin else ''}{text[begin : begin + _LONG]}{'…' if begin + _LONG < len(text) else ''}"
    return f"{quotes[0]}{part}{quotes[1]}" if isinstance(value, str | Mapping) else part
