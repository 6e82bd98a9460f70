"""A diagnosis -> JUnit XML, as CI systems show it: one test case a finding, and one for what was compared and is well.

Likely and proven findings fail, possible ones and what is undecided are skipped with what is lacking. Characters that
XML does not have are written visibly.
"""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from oakum import __version__
from oakum.model import Diagnosis, Evidence, Finding
from oakum.report.advice import commands, origins, remedies
from oakum.report.gap_commands import gap_command
from oakum.report.layout import series, utc
from oakum.report.words import WORDS, say, size, word
from oakum.report.words.lines import place_in

_LONGEST = 20_000  # characters of one text; a dump is not repeated here
# All but what XML 1.0 allows: control characters, lone surrogates, the last two of the plane.
_FORBIDDEN = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Marks that make text read otherwise than it is.
_TURNING = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_BYTES = ("inuse_space", "rss")


def render(diagnosis: Diagnosis, lang: str = "en") -> str:
    names = ", ".join(row.name for row in diagnosis.processes)
    failed = [found for found in diagnosis.findings if found.confidence != "possible"]
    skipped = [found for found in diagnosis.findings if found.confidence == "possible"]
    cases = [_case_of(diagnosis, found, lang) for found in diagnosis.findings]
    if diagnosis.verdict == "healthy":
        cases.append(_healthy(diagnosis, lang))
    elif diagnosis.explained:
        cases.append(_harmless(diagnosis, lang))
    undecided = diagnosis.verdict == "undecided"
    if undecided:
        cases.append(_undecided(diagnosis, lang))
    counts = {"tests": len(cases), "failures": len(failed), "errors": 0, "skipped": len(skipped) + undecided}
    numbers = {name: str(count) for name, count in counts.items()}
    top = Element("testsuites", {"name": f"oakum {__version__}", **numbers})
    times = [row.at for row in diagnosis.moments if row.at and not row.baseline]
    when = {"timestamp": f"{utc(max(times)):%Y-%m-%dT%H:%M:%S}"} if times else {}
    suite = SubElement(top, "testsuite", {"name": clean(f"oakum diagnose {names}"), **numbers, "time": "0", **when})
    properties = SubElement(suite, "properties")
    for name, value in _properties(diagnosis, lang):
        SubElement(properties, "property", {"name": clean(name), "value": clean(value)})
    suite.extend(cases)
    indent(top)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(top, encoding="unicode")}\n'


def _properties(diagnosis: Diagnosis, lang: str) -> Iterator[tuple[str, str]]:
    yield "verdict", diagnosis.verdict
    yield "summary", say(diagnosis.summary, lang)
    yield "oakum", diagnosis.tool or __version__
    for row in diagnosis.processes:
        yield f"process.{row.id}", row.name
        if row.build is None:
            continue
        for name, value in (("go", row.build.go), ("main", row.build.main), ("version", row.build.main_version)):
            if value:
                yield f"process.{row.id}.{name}", value
    yield "moments", str(len(diagnosis.moments))
    yield "captures", str(len({row.origin for row in diagnosis.inputs if row.digest}))


def _case_of(diagnosis: Diagnosis, found: Finding, lang: str) -> Element:
    """Return a finding: what fails is told by its mechanism, its id in brackets tells it apart in every run."""
    title = say(found.title, lang)
    processes = {row.id: row.name for row in diagnosis.processes}
    at = next(iter(found.suspect.sites), None)
    owner = processes.get(at.process, at.process) if at else next(iter(processes.values()), "")
    case = Element("testcase", _named(owner, f"{found.mechanism} [{found.id}]"))
    if at and at.frame.file:
        case.set("file", clean(at.frame.file))
        case.set("line", str(at.frame.line))
    body = "\n".join(_told(diagnosis, found, lang))
    message = f"{word(f'confidence.{found.confidence}', lang)}{'：' if lang == 'zh' else ': '}{title}"
    if found.confidence == "possible":
        SubElement(case, "skipped", {"message": clean(message)})
        SubElement(case, "system-out").text = clean(body)
    else:
        why = {"message": clean(message), "type": clean(found.mechanism)}
        SubElement(case, "failure", why).text = clean(body)
    return case


def _told(diagnosis: Diagnosis, found: Finding, lang: str) -> Iterator[str]:
    """Yield what stands below a finding: where, how it grew, why we think so, what to do, what to run."""
    suspect, captures = found.suspect, origins(diagnosis)
    mechanism = f"mechanism.{found.mechanism}"
    yield word(mechanism, lang) if mechanism in WORDS else say(found.title, lang)
    for site in suspect.sites:
        facts = [fact for fact in (site.state, None if site.count is None else f"{site.count:,}") if fact]
        place = _place(site.frame.function, site.frame.file, site.frame.line)
        yield f"{_label('where', lang)}{place} {', '.join(facts)}"
    for growth in suspect.growth:
        numbers = series(growth.counts, size if growth.measure in _BYTES else "{:,}".format, "->")
        yield f"{_label('growth', lang)}{word(f'measure.{growth.measure}', lang)} {numbers}"
    for claim in suspect.decisive_first:
        yield f"{_label('why', lang)}{say(claim.claim, lang)}{_source(claim, captures, lang)}"
    for sentence in found.cause.because if found.cause else ():
        yield f"{_label('cause', lang)}{say(sentence, lang)}"
    for known in found.known:
        yield f"{_label('known', lang)}{known.id} {known.module} {known.found or ''}".rstrip()
    for remedy in remedies(found):
        yield f"{_label('do', lang)}{say(remedy.text, lang)}"
    for command in commands(found, captures, diagnosis.called):
        yield f"{_label('next', lang)}{command}"


def _label(name: str, lang: str) -> str:
    return f"{word(f'label.{name}', lang)}{'：' if lang == 'zh' else ': '}"


def _place(function: str, file: str, line: int) -> str:
    return f"{function} {file}:{line}" if file else function


def _source(claim: Evidence, captures: dict[str, str], lang: str) -> str:
    parts = [part for part in (captures.get(claim.capture, claim.capture), place_in(claim.where, lang)) if part]
    return f"（{'，'.join(parts)}）" if lang == "zh" else f" ({', '.join(parts)})"


def _healthy(diagnosis: Diagnosis, lang: str) -> Element:
    """Return the case that passes: what was looked at and found harmless stands in it."""
    case = Element("testcase", _named(_first(diagnosis), "no leak"))
    told = [say(diagnosis.summary, lang), *(f"{one.mechanism}: {say(one.title, lang)}" for one in diagnosis.explained)]
    SubElement(case, "system-out").text = clean("\n".join([*told, *_lacking(diagnosis, lang)]))
    return case


def _harmless(diagnosis: Diagnosis, lang: str) -> Element:
    """Return the case that passes beside others: what was looked at too."""
    case = Element("testcase", _named(_first(diagnosis), "found harmless"))
    told = [f"{one.mechanism}: {say(one.title, lang)}" for one in diagnosis.explained]
    SubElement(case, "system-out").text = clean("\n".join(told))
    return case


def _undecided(diagnosis: Diagnosis, lang: str) -> Element:
    case = Element("testcase", _named(_first(diagnosis), "no leak"))
    SubElement(case, "skipped", {"message": clean(say(diagnosis.summary, lang))})
    SubElement(case, "system-out").text = clean("\n".join(_lacking(diagnosis, lang)))
    return case


def _lacking(diagnosis: Diagnosis, lang: str) -> Iterator[str]:
    colon, between = ("：", "") if lang == "zh" else (": ", " ")
    for gap in diagnosis.gaps:
        command = gap_command(diagnosis, gap, lang)
        told = between.join((say(gap.what, lang), say(gap.why, lang))).strip()
        yield f"{word('heading.gaps', lang)}{colon}{told}{f' {command}' if command else ''}"


def _first(diagnosis: Diagnosis) -> str:
    return ", ".join(row.name for row in diagnosis.processes)


def _named(owner: str, name: str) -> dict[str, str]:
    return {"classname": clean(f"oakum.{owner or 'process'}"), "name": clean(name), "time": "0"}


def clean(text: str) -> str:
    """Return the text as XML can hold it, its strange characters made visible, and no longer than anybody reads."""
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ... {len(text) - _LONGEST:,} characters more"
    return _TURNING.sub(_escaped, _FORBIDDEN.sub(_escaped, cut))


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
