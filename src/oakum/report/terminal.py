"""A diagnosis -> text for a terminal or a pipe: the verdict first, then each finding, then what else was looked at.

Made to be read at three in the morning: what, where, why we think so, how fast, what to do, what to run next. All that
comes from evidence passes through `Look.safe`. Without a width nothing is wrapped, shortened or left out. One module,
since a page is one thing: its sections are short functions in the order in which they are read.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from oakum.model import Evidence, Explained, Finding, Frame, Gap, Growth, KnownMatch, Memory, Site, Victim
from oakum.model.diagnosis import Diagnosis
from oakum.report.advice import commands, elsewhere, list_command, lock_in_source, origins
from oakum.report.cause import Wide, cause_lines, fix_lines
from oakum.report.layout import chart, series, utc, wrap
from oakum.report.page.headline import headline
from oakum.report.pen import Look, Pen
from oakum.report.words import WORDS, size
from oakum.report.words.told import command_in, place_in

_COLOURS = {"leaking": "red", "healthy": "green", "undecided": "magenta"}
_SURE = {"proven": "red", "likely": "red", "possible": "magenta"}
_SITES_MOST = 5
_ALIKE_MOST = 2  # claims of one kind about several locks or places
_REFERENCES_MOST = 2
_VICTIMS_MOST = 4
_HARMLESS_MOST = 6
_POSSIBLE_MOST = 4  # beside something worse, the rest in one line each
_BYTES = ("inuse_space", "rss")
_PARTS = ("heap_live", "heap_dead", "heap_idle", "stacks", "runtime", "off_heap")


def render(diagnosis: Diagnosis, look: Look) -> str:
    """Return the whole report."""
    return "\n".join(TerminalPage(diagnosis, look).lines()) + "\n"


class TerminalPage(Pen):
    """The report while it is written: the diagnosis and where its captures came from."""

    def __init__(self, diagnosis: Diagnosis, look: Look) -> None:
        super().__init__(look)
        self.diagnosis = diagnosis
        self.origins = origins(diagnosis)
        self.names = {row.id: row.name for row in diagnosis.processes}
        self.root = "" if look.columns is None else _common(self.origins.values())
        labels = ("where", "why", "growth", "victims", "path", "cause", "known", "do", "next", "share")
        self.margin = 3 + max(look.width_of(self.word(f"label.{name}")) for name in labels) + 2

    def lines(self) -> Iterable[str]:
        yield from self.verdict()
        sure = [found for found in self.diagnosis.findings if found.confidence != "possible"]
        room = len(sure) + _POSSIBLE_MOST
        for at, found in enumerate(self.diagnosis.findings):
            yield ""
            if self.columns is None or at < room:
                yield from self.finding(found)
            else:
                yield from self.brief(found)
        yield from self.harmless(self.diagnosis.explained)
        for memory in self.diagnosis.memory:
            yield from self.memory(memory)
        yield from self.gaps(self.diagnosis.gaps)
        yield from self.inputs()

    # The parts, from top to bottom.

    def verdict(self) -> Iterable[str]:
        yield from self.badge(headline(self.diagnosis, self.look.lang))
        indent = self.look.width_of(self.word(f"badge.{self.diagnosis.verdict}")) + 2
        for row in self.diagnosis.processes:
            parts = [row.name, *([row.build.go] if row.build and row.build.go else [])]
            if len(self.names) > 1:
                parts[0] = self.word("process.line", name=row.name, id=row.id)
            parts += self.when(row.id)
            yield from self.dim(self.wrapped(f" {self.dot} ".join(self.look.safe(part) for part in parts), indent))

    def badge(self, said: str) -> Iterable[str]:
        """Return the verdict in one word, and a sentence beside it."""
        verdict = self.diagnosis.verdict
        badge = self.word(f"badge.{verdict}")
        said = self.look.safe(said).replace("`", "")  # bold already sets it apart
        head, *rest = self.wrapped(said, self.look.width_of(badge) + 2)
        yield f"{self.look.styled(badge, 'bold', _COLOURS[verdict])}  {self.look.styled(head.strip(), 'bold')}"
        yield from (self.look.styled(line, "bold") for line in rest)

    def when(self, process: str) -> list[str]:
        """Return how many moments of a process there are, and when."""
        moments = [row for row in self.diagnosis.moments if row.process == process and not row.baseline]
        twins = [row for row in self.diagnosis.moments if row.process == process and row.baseline]
        parts = [self.word("process.moments", moments=len(moments))]
        times = [row.at for row in moments if row.at]
        if times and len(times) == len(moments):
            parts.append(_between(min(times), max(times)))
        if twins:
            parts.append(self.word("inputs.baseline", moments=len(twins)))
        return parts

    def finding(self, found: Finding) -> Iterable[str]:
        suspect = found.suspect
        yield from self.headline(found)
        yield from self.labelled("where", self.sites(suspect.sites))
        yield from self.labelled("known", [line for known in found.known for line in self.known(known)])
        yield from self.labelled("path", self.path(suspect.path))
        yield from self.labelled("growth", [line for growth in suspect.growth for line in self.growth(growth)])
        shares = [self.word(f"share.{name}", share=share) for name, share in suspect.share.items() if share > 0]
        yield from self.labelled("share", self.paragraph(self.comma.join(shares)) if shares else [])
        yield from self.labelled("why", self.why(found))
        yield from self.labelled("victims", self.victims(suspect.victims))
        yield from self.labelled("cause", cause_lines(self, found, self.names))
        shows = list_command(found, self.diagnosis.called)
        yield from self.labelled("do", fix_lines(self, found, shows))
        following = commands(found, self.origins, self.diagnosis.called)
        yield from self.labelled("next", [self.command(one) for one in following])

    def headline(self, found: Finding) -> Iterable[str]:
        sure = self.look.styled(self.word(f"confidence.{found.confidence}"), "bold", _SURE[found.confidence])
        yield f"{self.look.styled(f'{found.rank:>2}', 'bold')} {sure} {self.dot} {self.look.safe(found.mechanism)}"
        yield from (self.look.styled(line, "bold") for line in self.wrapped(self.what(found), 3))

    def what(self, found: Finding) -> str:
        """Return the title without the place, which stands in the next line."""
        key = f"mechanism.{found.mechanism}"
        return self.word(key) if key in WORDS else self.say(found.title)

    def brief(self, found: Finding) -> Iterable[str]:
        yield from self.headline(found)
        yield from (f"   {line}" for site in found.suspect.sites[:1] for line in self.site(site, indent=3))

    def sites(self, sites: Sequence[Site]) -> Iterable[str]:
        shown = sites if self.columns is None else sites[:_SITES_MOST]
        for site in shown:
            yield from self.site(site)
        if len(shown) < len(sites):
            yield self.word("count.more", count=len(sites) - len(shown))

    def site(self, site: Site, indent: int | None = None) -> Iterable[str]:
        facts = [site.state] if site.state else []
        if site.count is not None:
            objects = site.role in ("allocated", "registered") and not site.state
            facts.append(self.word("count.objects" if objects else "count.goroutines", count=site.count))
        role = "" if site.role == "blocked" else self.word(f"role.{site.role}")
        yield from self.place(site.frame, facts, role, site.process, indent)

    def place(
        self, frame: Frame, facts: Sequence[str], role: str = "", process: str = "", indent: int | None = None
    ) -> Iterable[str]:
        """Return a function, where it stands, and what is told of it: on one line if there is room, else on two."""
        left = self.margin if indent is None else indent
        name = self.look.safe(self.placed(frame.function)) or "?"
        spot = self.look.safe(self.file(frame))
        told = self.comma.join(part for part in (role, *facts) if part)
        owner = f"[{self.names[process]}]" if len(self.names) > 1 and process in self.names else ""
        tail = self.look.safe(f"{told} {owner}".strip())
        room = None if self.columns is None else self.columns - left
        rest = "  ".join(part for part in (spot, tail) if part)
        if rest and (room is None or self.look.width_of(f"{name}  {rest}") <= room):
            yield f"{self.look.styled(name, 'cyan')}  {rest}"
            return
        yield from (self.look.styled(line, "cyan") for line in wrap(name, room, self.look.width_of))
        if not rest:
            return
        if room is not None and self.look.width_of(f"  {rest}") > room:
            spot = self.shortened(spot, room - 2)
            yield from (
                f"  {line}" for part in (spot, tail) if part for line in wrap(part, room - 2, self.look.width_of)
            )
        else:
            yield f"  {rest}"

    def file(self, frame: Frame) -> str:
        return f"{frame.file}:{frame.line}" if frame.file else ""

    def path(self, frames: Sequence[Frame]) -> Iterable[str]:
        for frame in frames:
            yield from self.place(frame, ())

    def growth(self, growth: Growth) -> Iterable[str]:
        show = size if growth.measure in _BYTES else "{:,}".format
        numbers = series(growth.counts, show, "→" if self.look.glyphs else "->")
        parts = [f"{self.word(f'measure.{growth.measure}')}  {numbers}"]
        if self.look.glyphs and len(growth.counts) > 2 and (bars := chart(growth.counts)):
            parts.append(self.look.styled(bars, "cyan") if self.columns is not None else bars)
        if growth.per_hour is not None:
            rate = size(growth.per_hour) if growth.measure in _BYTES else f"{growth.per_hour:,.3g}"
            rate = f"{growth.per_hour:,.0f}" if growth.measure not in _BYTES and abs(growth.per_hour) >= 100 else rate
            parts.append(self.word("growth.per-hour", rate=f"+{rate}" if growth.per_hour > 0 else rate))
        if event := growth.per_event:
            told = size if growth.measure in _BYTES else "{:.3g}".format
            value, low, high = map(told, (event.value, event.low, event.high))
            key = "growth.per-event" if low == high else "growth.per-event-about"
            parts.append(self.word(key, event=event.event, value=value, low=low, high=high))
        if growth.against == "baseline":
            parts.append(self.word("growth.against-baseline"))
        yield from self.flowing(parts)

    def why(self, found: Finding) -> Iterable[str]:
        dash = "•" if self.look.glyphs else "-"
        # That upstream knows it stands above, with the version.
        told_here = [one for one in found.suspect.evidence if one.kind != "known"]
        shown = self.telling(told_here)
        told = [(evidence, self.shortened_source(evidence)) for evidence in shown]
        for at, (evidence, source) in enumerate(told):
            first, *rest = self.paragraph(self.claim(found, evidence), 2)
            yield f"{dash} {first}"
            yield from (f"  {line}" for line in rest)
            if at + 1 == len(told) or told[at + 1][1] != source:  # claims of one capture name it once, after the last
                yield from self.dim(f"  {line}" for line in self.paragraph(source, 2))
        if len(shown) < len(told_here):
            yield f"  {self.word('count.more', count=len(told_here) - len(shown))}"

    def claim(self, found: Finding, evidence: Evidence) -> str:
        """Return a claim in words, with the process where it is another, and the name of a lock in the source."""
        owner = self.look.safe(elsewhere(self.diagnosis, found, evidence))
        lock = self.look.safe(lock_in_source(found, evidence))
        named = ("" if self.look.lang == "zh" else " ") + self.word("finding.lock-named", lock=lock) if lock else ""
        return f"{owner}{self.colon if owner else ''}{self.say(evidence.claim)}{named}"

    def telling(self, claims: Sequence[Evidence]) -> list[Evidence]:
        """Return the claims without those that say the like of others once more, when there is little room."""
        seen: dict[str, int] = {}
        shown = []
        for one in claims:
            seen[one.claim.key] = seen.get(one.claim.key, 0) + 1
            if self.columns is None or seen[one.claim.key] <= _ALIKE_MOST:
                shown.append(one)
        return shown

    def shortened_source(self, evidence: Evidence) -> str:
        """Return in which capture a claim can be checked, and where in it."""
        # Source is named by its place; its digest is no capture that one could open.
        origin = self.origins.get(evidence.capture, "" if evidence.where else evidence.capture[:19])
        name = self.look.safe(origin.removeprefix(self.root))
        if self.columns is not None:
            name = self.shortened(name, self.columns - self.margin - 2)
        where = self.look.safe(place_in(evidence.where, self.look.lang))
        return self.comma.join(part for part in (name, where) if part)

    def victims(self, victims: Sequence[Victim]) -> Iterable[str]:
        shown = victims if self.columns is None else victims[:_VICTIMS_MOST]
        for victim in shown:
            facts = [victim.state] if victim.state else []
            facts.append(self.word("count.goroutines", count=victim.count))
            facts.append(self.word(f"because.{victim.because}"))
            yield from self.place(victim.frame, facts, process=victim.process)
        if len(shown) < len(victims):
            yield self.word("count.more", count=len(victims) - len(shown))

    def known(self, known: KnownMatch) -> Iterable[str]:
        yield from self.known_bug(known)
        yield from self.dim(self.paragraph(self.saying(known.says)))
        yield from self.dim(self.look.safe(reference) for reference in known.references[:_REFERENCES_MOST])

    def known_bug(self, known: KnownMatch) -> Iterable[str]:
        """Return which bug it is, whether what runs has it, and since when it is mended."""
        told = self.say(known.summary) if known.summary else ""
        yield from self.paragraph(f"{self.look.safe(known.id)}{self.colon}{told}" if told else self.look.safe(known.id))
        name = "Go" if known.module == "std" else known.module
        module = f"{name} {known.found or ''}".strip()
        if known.fault == "usage" and not known.fixed:
            facts = [self.word("upstream.usage", module=module)]
        else:
            mended = self.word("upstream.mended", versions=self.joined(known.fixed)) if known.fixed else ""
            said = "peer" if known.where == "peer" and known.affects_build == "unknown" else known.affects_build
            facts = [self.word(f"upstream.affects.{said}", module=name if said == "peer" else module)]
            facts.append(mended or self.word("upstream.unmended"))
        yield from self.paragraph(self.stop.join(facts))

    def harmless(self, explained: Sequence[Explained]) -> Iterable[str]:
        if not explained:
            return
        yield from self.heading("heading.harmless")
        shown = explained if self.columns is None else explained[:_HARMLESS_MOST]
        for one in shown:
            site = one.sites[0] if one.sites else None
            name = self.look.safe(site.frame.function) if site else ""
            told = f"{self.say(one.title)}"
            key = f"harmless.{one.mechanism}"
            label = self.word(key) if self.look.lang == "zh" and key in WORDS else one.mechanism
            yield from self.entry(label, name, told)
        if len(shown) < len(explained):
            yield f"   {self.word('count.more', count=len(explained) - len(shown))}"

    def entry(self, mechanism: str, name: str, told: str) -> Iterable[str]:
        first = f"{self.look.safe(mechanism)}  {self.look.styled(name, 'cyan')}".rstrip()
        if self.columns is None or self.look.width_of(f"   {first}") <= self.columns:
            yield f"   {first}"
        else:
            yield f"   {self.look.safe(mechanism)}"
            yield from (f"     {self.look.styled(line, 'cyan')}" for line in self.wrapped(name, 5, pad=False))
        yield from self.wrapped(told, 5)

    def memory(self, memory: Memory) -> Iterable[str]:
        rows = [(name, value) for name in ("rss", *_PARTS) if (value := getattr(memory, name)) is not None]
        rows += [(name, value) for name in ("heap_released", "next_gc", "limit") if (value := getattr(memory, name))]
        if not rows and not memory.says:
            return
        process = f" {self.dot} {self.look.safe(self.names.get(memory.process, ''))}" if len(self.names) > 1 else ""
        yield from self.heading("heading.memory", process)
        for told in memory.says:
            yield from self.wrapped(self.say(told), 3)
        labels = {name: self.word(f"budget.{name}") for name, _ in rows}
        wide = max((self.look.width_of(label) for label in labels.values()), default=0)
        for name, value in rows:
            inner = "  " if name in _PARTS and memory.rss else ""
            gap = " " * (wide + 2 - self.look.width_of(labels[name]) - len(inner))
            part = f"{value / memory.rss:>6.0%}" if memory.rss and name in _PARTS and value <= memory.rss else ""
            yield f"   {inner}{labels[name]}{gap}  {size(value):>10}{part}"
        if memory.full_in_seconds is not None:
            yield f"   {self.word('budget.full_in', seconds=memory.full_in_seconds)}"

    def gaps(self, gaps: Sequence[Gap]) -> Iterable[str]:
        if not gaps:
            return
        yield from self.heading("heading.gaps")
        for gap in gaps:
            yield from self.wrapped(self.saying((gap.what, gap.why)).strip(), 3)
            if gap.command:
                yield f"     {self.command(command_in(gap.command, self.look.lang))}"

    def inputs(self) -> Iterable[str]:
        rows = self.diagnosis.inputs
        if not rows:
            return
        yield ""
        parts = [self.word("inputs.line", captures=len({row.origin for row in rows}))]
        if len(self.root) > 1:
            parts[0] += f" ({self.look.safe(self.root)})"
        if troubled := len({row.origin for row in rows if row.problems}):
            parts.append(self.word("inputs.problems", count=troubled))
        yield from self.dim(self.wrapped(f"{self.word('heading.inputs')}{self.colon}{self.stop.join(parts)}", 0))

    # What the parts are made of.

    def heading(self, key: str, more: str = "") -> Iterable[str]:
        yield ""
        yield self.look.styled(f"{self.word(key)}{more}", "bold")

    def labelled(self, name: str, lines: Iterable[str]) -> Iterable[str]:
        label = self.word(f"label.{name}")
        gap = " " * (self.margin - 3 - self.look.width_of(label))
        for at, line in enumerate(lines):
            lead = f"   {self.look.styled(label, 'dim')}{gap}" if at == 0 else " " * self.margin
            yield line if isinstance(line, Wide) else f"{lead}{line}"

    def flowing(self, parts: Sequence[str]) -> Iterable[str]:
        """Return the parts on one line, or on as many as they need."""
        line = ""
        for part in parts:
            longer = f"{line}   {part}" if line else part
            if self.columns is None or self.look.width_of(longer) <= self.columns - self.margin:
                line = longer
                continue
            if line:
                yield line
            *whole, line = self.paragraph(part)
            yield from whole
        yield line


def _common(origins: Iterable[str]) -> str:
    """Return the directory in which all captures lie, with its slash; "" when there is none."""
    folders = [origin.split("/")[:-1] for origin in origins]
    shared = []
    for names in zip(*folders, strict=False):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    return "/".join(shared) + "/" if shared else ""


def _between(first: datetime, last: datetime) -> str:
    start, end = utc(first), utc(last)
    if start == end:
        return f"{start:%Y-%m-%d %H:%M:%S}Z"
    day = "" if start.date() == end.date() else f"{end:%Y-%m-%d} "
    return f"{start:%Y-%m-%d %H:%M:%S} - {day}{end:%H:%M:%S}Z"


__all__ = ["Look", "TerminalPage", "render"]
