"""A saved diagnosis read again: nothing of what is shown from it is lost, and no document makes it stumble."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnoses import empty, rich
from oakum.model import Unreadable
from oakum.report.json import document
from oakum.report.saved import builds, findings, is_saved


def saved() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(document(rich())))
    return found


def test_what_is_shown_comes_back() -> None:
    first, second = findings(saved())
    truth = rich().findings[0]
    assert (first.id, first.rank, first.mechanism, first.confidence) == ("a1b2c3", 1, "abandoned-sender", "likely")
    assert first.title == truth.title
    assert first.cause == truth.cause
    assert first.remedies == truth.remedies
    assert first.leads == truth.leads
    assert first.suspect.sites == truth.suspect.sites
    assert first.suspect.victims == truth.suspect.victims
    assert second.cause is None
    assert findings(document(empty())) == ()
    assert builds(saved()) == (rich().processes[0].build,)


def test_what_is_no_diagnosis() -> None:
    assert is_saved(saved())
    assert is_saved({"schema": "oakum.diagnosis/9"})
    others: list[object] = [{}, [], None, 3, {"schema": "speedscope"}, {"schema": 1}]
    assert not any(map(is_saved, others))
    with pytest.raises(Unreadable, match=r"this version reads oakum\.diagnosis/1"):
        findings({"schema": "oakum.diagnosis/9"})


PARTS = ("sites", "victims", "cause", "remedies", "leads", "args", "rank", "title", "key", "id")
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from([*PARTS, "marks", "0"]), inner, max_size=2),
    max_leaves=4,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(PARTS), ODD)
def test_any_document_is_read_or_refused(part: str, odd: Any) -> None:
    broken = saved()
    broken["findings"][0][part] = odd
    with suppress(Unreadable):
        assert len(findings(broken)) == 2
    broken["processes"][0]["build"] = odd
    with suppress(Unreadable):
        builds(broken)
