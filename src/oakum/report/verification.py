"""Before and after -> what programs read: JSON (oakum.verify/1), which carries both diagnoses, and JUnit.

The document is read back by its two diagnoses; the rest follows from them.
"""

from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from oakum import __version__
from oakum.model import Diagnosis, Slope, Text, Unreadable
from oakum.model.verification import Change, Verification
from oakum.report.json import diagnosis as read_diagnosis
from oakum.report.json import document as diagnosis_document
from oakum.report.junit import clean
from oakum.report.page.speech import Speech
from oakum.report.page.verification import sentence
from oakum.report.words import say, word

SCHEMA = "oakum.verify/1"


def document(found: Verification) -> dict[str, Any]:
    """Return what became of each finding, and both diagnoses (oakum.diagnosis/1)."""
    return {
        "schema": SCHEMA,
        "tool": __version__,
        "verdict": found.verdict,
        "changes": [_row(one) for one in found.changes],
        "notes": [_sentence(one) for one in found.notes],
        "before": diagnosis_document(found.before),
        "after": diagnosis_document(found.after),
    }


def _row(one: Change) -> dict[str, Any]:
    site = one.finding.suspect.sites[0]
    return {
        "became": one.became,
        "finding": one.finding.id,
        "mechanism": one.finding.mechanism,
        "function": site.frame.function,
        "file": site.frame.file,
        "line": site.frame.line,
        "unit": one.unit,
        "before": _slope(one.before),
        "after": _slope(one.after),
        "ratio": {"value": one.ratio.value, "low": one.ratio.low, "high": one.ratio.high} if one.ratio else None,
        "why": _sentence(one.why) if one.why else None,
        "text": sentence(Speech("en"), one),
    }


def _slope(one: Slope | None) -> dict[str, Any] | None:
    if one is None:
        return None
    numbers = {"value": one.value, "low": one.low, "high": one.high, "smallest": one.smallest}
    return {"measure": one.measure, **numbers, "stays": one.stays, "counts": list(one.counts)}


def _sentence(text: Text) -> dict[str, Any]:
    return {"key": text.key, "args": dict(text.args), "text": say(text)}


def is_verification(document: object) -> bool:
    """Return whether a document says that it is one, of any version."""
    return isinstance(document, dict) and str(document.get("schema", "")).startswith("oakum.verify/")


def sides(document: Mapping[str, Any]) -> tuple[Diagnosis, Diagnosis]:
    """Return the diagnoses of before and after; raise where the document is not as one is written."""
    if document.get("schema") != SCHEMA:
        raise Unreadable(f"its schema is {str(document.get('schema'))[:60]}, and this version reads {SCHEMA}")
    both = document.get("before"), document.get("after")
    if not all(isinstance(one, dict) for one in both):
        raise Unreadable("it says that it compares before and after, but has not both")
    before, after = (read_diagnosis(one) for one in both if isinstance(one, dict))
    return before, after


def junit(found: Verification, lang: str) -> str:
    """Return a test case for each finding: it passes when it is gone."""
    failures = sum(one.became in ("new", "same", "smaller") for one in found.changes)
    skipped = sum(one.became == "unsettled" for one in found.changes)
    numbers = {"tests": len(found.changes), "failures": failures, "errors": 0, "skipped": skipped}
    counts = {name: str(count) for name, count in numbers.items()}
    top = Element("testsuites", {"name": f"oakum {__version__}", **counts})
    suite = SubElement(top, "testsuite", {"name": "oakum verify", **counts, "time": "0"})
    for one in found.changes:
        suite.append(_case(one, lang))
    indent(top)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(top, encoding="unicode")}\n'


def _case(one: Change, lang: str) -> Element:
    site = one.finding.suspect.sites[0]
    name = f"{one.finding.mechanism} [{one.finding.id}]"
    case = Element("testcase", {"classname": clean(site.frame.function), "name": clean(name), "time": "0"})
    told = clean(sentence(Speech(lang), one))
    if one.became == "gone":
        SubElement(case, "system-out").text = told
    elif one.became == "unsettled":
        SubElement(case, "skipped", {"message": told})
    else:
        message = f"{word(f'verify.became.{one.became}', lang)}{'：' if lang == 'zh' else ': '}{told}"
        SubElement(case, "failure", {"message": message, "type": one.became}).text = clean(str(site.frame))
    return case
