"""Tests that were run -> what programs read: JSON (oakum.tests/1), JUnit, SARIF, annotations, and the baseline file.

A leak is told apart in every run by package, test and the id of its finding.
"""

import json
from collections.abc import Callable, Iterable
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from msgspec import Struct, to_builtins
from msgspec import json as typed_json

from oakum import __version__
from oakum.model import Finding, Frame, Unreadable
from oakum.model.tested import Tested, TestRun
from oakum.report.findings_sarif import bases, place_of
from oakum.report.findings_sarif import document as sarif_of
from oakum.report.json import document as diagnosis_document
from oakum.report.junit import clean
from oakum.report.page.speech import Speech
from oakum.report.page.tested import badge_of, stays
from oakum.report.sarif import log, rule
from oakum.report.words import say, word

SCHEMA = "oakum.tests/1"
BASELINE = "oakum.tests-baseline/1"
_ANNOTATIONS_MOST = 50  # GitHub shows ten of each kind for a step, fifty for a run


def document(run: TestRun) -> dict[str, Any]:
    """Return the run for programs; each test carries its diagnosis (oakum.diagnosis/1)."""
    return {
        "schema": SCHEMA,
        "tool": __version__,
        "verdict": badge_of(run),
        "count": run.count,
        "grace_seconds": run.grace,
        "tests": [_row(one) for one in run.tests],
        "unbuilt": [{"package": package, "why": why} for package, why in run.unbuilt.items()],
        "baseline": run.baseline,
        "not_seen_any_more": list(run.stale),
    }


def _row(one: Tested) -> dict[str, Any]:
    return {
        "package": one.package,
        "name": one.name,
        "kind": one.kind,
        "outcome": one.outcome,
        "iterations": one.iterations,
        "leaks": [_leak(one, found) for found in one.leaks],
        "output": one.said,
        "captures": one.captures,
        "diagnosis": diagnosis_document(one.diagnosis) if one.diagnosis else None,
    }


def _leak(one: Tested, found: Finding) -> dict[str, Any]:
    slope = one.slopes.get(found.id)
    per = to_builtins(slope, str_keys=True) if slope else None
    if per is not None:
        per = {name: per[name] for name in ("measure", "value", "low", "high", "stays", "smallest")}
    place = next(iter(place_of(found)), None)
    return {
        "fingerprint": fingerprint(one, found),
        "finding": found.id,
        "known": found.id in one.known,
        "file": place.file if place else "",
        "line": place.line if place else 0,
        "per_iteration": per,
    }


def fingerprint(one: Tested, found: Finding) -> str:
    """Return the name of a leak that stays the same while code moves: package, test and finding."""
    return f"{one.package}/{one.name}:{found.id}"


# The baseline


class _Known(Struct, frozen=True):
    fingerprint: str
    what: str = ""


class _Baseline(Struct, frozen=True):
    schema: str
    leaks: tuple[_Known, ...]


def baseline(run: TestRun, also: Iterable[str] = ()) -> str:
    """Return the baseline that has all leaks of a run, and those that were known of tests which were not run."""
    found = {fingerprint(one, leak): say(leak.title) for one in run.tests for leak in one.leaks}
    found |= {name: "" for name in also if name not in found}
    rows = [{"fingerprint": name, "what": found[name]} for name in sorted(found)]
    return json.dumps({"schema": BASELINE, "leaks": rows}, indent=2, ensure_ascii=False) + "\n"


def read_baseline(data: bytes) -> frozenset[str]:
    """Return the fingerprints that a baseline has; raise for what is none."""
    try:
        found = typed_json.decode(data, type=_Baseline)
    except ValueError as error:
        raise Unreadable(f"not a baseline of oakum verify --test: {str(error)[:200]}") from None
    if found.schema != BASELINE:
        raise Unreadable(f"not a baseline of oakum verify --test: its schema is {found.schema[:60]}")
    return frozenset(one.fingerprint for one in found.leaks)


# What other programs show


def junit(run: TestRun, lang: str) -> str:
    """Return a test case for each test: it fails when it leaks what is not known."""
    cases = [_case(one, lang) for one in run.tests]
    failures, skipped = len(run.leaking), sum(one.diagnosis is None for one in run.tests)
    numbers = {"tests": len(cases), "failures": failures, "errors": len(run.unbuilt), "skipped": skipped}
    counts = {name: str(count) for name, count in numbers.items()}
    top = Element("testsuites", {"name": f"oakum {__version__}", **counts})
    suite = SubElement(top, "testsuite", {"name": "oakum verify --test", **counts, "time": "0"})
    suite.extend(cases)
    for package, why in run.unbuilt.items():
        case = SubElement(suite, "testcase", {"classname": clean(package), "name": "build", "time": "0"})
        SubElement(case, "error", {"message": clean(why.splitlines()[0] if why else "")}).text = clean(why)
    indent(top)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(top, encoding="unicode")}\n'


def _case(one: Tested, lang: str) -> Element:
    case = Element("testcase", {"classname": clean(one.package), "name": clean(one.name), "time": "0"})
    speech = Speech(lang)
    if one.diagnosis is None:
        SubElement(case, "skipped", {"message": word(f"tested.outcome.{one.outcome}", lang)})
    for found in one.new_leaks:
        told = "\n".join([say(found.title, lang), *(str(site.frame) for site in found.suspect.sites)])
        why = {"message": clean(stays(speech, found, one.slopes.get(found.id))), "type": clean(found.mechanism)}
        SubElement(case, "failure", why).text = clean(told)
    return case


def sarif(run: TestRun, lang: str) -> dict[str, Any]:
    """Return one log with the leaks of all tests; what the baseline has is there, suppressed."""
    results = []
    for test in run.tests:
        made = sarif_of(test.diagnosis, lang)["runs"][0]["results"] if test.diagnosis else []
        for found, result in zip(test.diagnosis.findings if test.diagnosis else (), made, strict=True):
            if found.confidence != "possible":
                results.append(_result(test, found, result, lang))
    names = sorted({result["ruleId"] for result in results})
    for result in results:
        result["ruleIndex"] = names.index(result["ruleId"])
    return log([rule(name, lang) for name in names], results, [], bases())


def _result(test: Tested, found: Finding, result: dict[str, Any], lang: str) -> dict[str, Any]:
    told = stays(Speech(lang), found, test.slopes.get(found.id)).replace("`", "")
    message = f"{test.name}{'：' if lang == 'zh' else ': '}{told}{'。' if lang == 'zh' else '. '}"
    result["message"]["text"] = message + result["message"]["text"]
    result["partialFingerprints"] = {"oakumTestLeak/v1": fingerprint(test, found)}
    result["properties"]["commands"] = []
    if found.id in test.known:
        result["suppressions"] = [{"kind": "external"}]
    return result


def annotations(run: TestRun, lang: str, path: Callable[[str], str]) -> str:
    """Return workflow commands of GitHub Actions: an error where each leak is in the code, in the pull request."""
    lines = [_annotation(one, found, lang, path) for one in run.leaking for found in one.new_leaks]
    return "".join(f"{line}\n" for line in lines[:_ANNOTATIONS_MOST])


def _annotation(one: Tested, found: Finding, lang: str, path: Callable[[str], str]) -> str:
    place: Frame | None = next(iter(place_of(found)), None)
    told = stays(Speech(lang), found, one.slopes.get(found.id)).replace("`", "")
    where = ""
    if place is not None and place.file:
        where = f"file={_property(path(place.file))},line={place.line},"
    return f"::error {where}title={_property(one.name)}::{_data(f'{told} ({found.mechanism}, {found.id})')}"


def _data(text: str) -> str:
    """Return a text as a workflow command has it: no line of it can be a command of its own."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")[:2000]


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
