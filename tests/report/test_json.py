"""The JSON document: the contract that programs rely on."""

import json
from typing import Any

from diagnoses import FIRST, empty, rich
from oakum.report.json import document

TEXT, NUMBER = str, (int, float)
SITE = {"role": TEXT, "function": TEXT, "file": TEXT, "line": int, "state": (str, None), "count": (int, None), "process": TEXT}  # fmt: skip
FRAME = {"function": TEXT, "file": TEXT, "line": int}
SENTENCE = {"text": TEXT, "key": TEXT, "args": dict}
PARTS = (
    "rss",
    "limit",
    "heap_live",
    "heap_dead",
    "heap_idle",
    "heap_released",
    "stacks",
    "runtime",
    "off_heap",
    "next_gc",
)
MEMORY = dict.fromkeys(PARTS, (int, None)) | {"process": TEXT, "last_gc": (str, None), "full_in_seconds": (*NUMBER, None), "says": [SENTENCE]}  # fmt: skip
SLOPE = {
    "measure": TEXT, "value": NUMBER, "low": NUMBER, "high": NUMBER, "stays": bool, "smallest": NUMBER,
    "returned": NUMBER, "more": (int, None), "counts": [(*NUMBER, None)], "place": (FRAME, None), "state": (str, None),
    "key": TEXT,
}  # fmt: skip
TRIAL = {
    "process": TEXT, "target": TEXT, "unit": TEXT, "asked": [TEXT], "ended": TEXT, "work": [(int, None)],
    "phases": [(str, None)], "seconds": [(*NUMBER, None)], "failed": int, "statuses": dict, "totals": [SLOPE],
    "places": [SLOPE], "source": TEXT,
}  # fmt: skip
CONTRACT = {
    "schema": TEXT, "tool": TEXT, "verdict": TEXT, "summary": SENTENCE,
    "processes": [{"id": TEXT, "name": TEXT, "build": ({"go": TEXT, "path": TEXT, "main": TEXT, "version": TEXT, "modules": dict}, None)}],
    "moments": [{"at": (str, None), "process": TEXT, "baseline": bool, "label": TEXT, "inputs": [TEXT]}],
    "findings": [{
        "id": TEXT, "rank": int, "mechanism": TEXT, "confidence": TEXT, "title": TEXT, "key": TEXT, "args": dict,
        "sites": [SITE],
        "victims": [FRAME | {"state": (str, None), "count": int, "because": TEXT, "process": TEXT}],
        "path": [FRAME],
        "growth": [{
            "measure": TEXT, "counts": [(int, None)], "per_hour": (*NUMBER, None), "against": TEXT, "command": TEXT,
            "per_event": ({"event": TEXT, "value": NUMBER, "low": NUMBER, "high": NUMBER}, None),
        }],
        "share": dict,
        "cause": ({
            "because": TEXT, "says": [SENTENCE],
            "sites": [FRAME | {"role": TEXT, "code": TEXT, "process": TEXT}],
            "excerpts": [{"file": TEXT, "first": int, "lines": [TEXT], "marks": dict}],
            "sources": [TEXT],
        }, None),
        "known": [{
            "id": TEXT, "module": TEXT, "found": (str, None), "fixed": [TEXT], "upgrade_to": (str, None), "where": TEXT,
            "affects_build": TEXT, "references": [TEXT], "summary": (SENTENCE, None), "says": [SENTENCE],
            "reviewed": bool, "fault": TEXT,
        }],
        "remedies": [{
            "kind": TEXT, "text": TEXT, "key": TEXT, "args": dict, "diff": (str, None), "risk": (str, None),
            "risk_key": (str, None), "risk_args": dict, "compiled": (bool, None), "proof": (dict, None),
        }],
        "leads": [{
            "module": TEXT, "running": TEXT, "changed": TEXT, "last_alike": TEXT, "functions": [TEXT], "diff": TEXT,
            "at_lines": bool,
        }],
        "commands": [TEXT],
        "evidence": [{
            "kind": TEXT, "claim": TEXT, "key": TEXT, "args": dict, "capture": TEXT, "where": TEXT, "excerpt": TEXT,
            "command": TEXT,
        }],
    }],
    "explained": [{"mechanism": TEXT, "title": TEXT, "key": TEXT, "args": dict, "sites": [SITE]}],
    "memory": MEMORY, "memories": [MEMORY],
    "gaps": [{
        "what": TEXT, "why": TEXT, "command": TEXT, "key": TEXT, "args": dict, "why_key": TEXT, "why_args": dict,
    }],
    "inputs": [{
        "origin": TEXT, "kind": TEXT, "format": TEXT, "taken_at": (str, None), "digest": TEXT,
        "problems": [{"key": TEXT, "text": TEXT, "where": TEXT, "text_key": TEXT, "text_args": dict}],
    }],
    "timeline": [{
        "at": (str, None), "process": TEXT, "baseline": bool, "captured": bool, "label": TEXT, "totals": dict, "inputs": [TEXT],
    }],
    "chains": [], "trials": [TRIAL], "called": [TEXT], "notices": [SENTENCE],
    "signals": [{
        "process": TEXT, "measure": TEXT, "first": NUMBER, "last": NUMBER, "shape": TEXT, "steps": int, "source": TEXT,
        "onset": ({"at": TEXT, "low": TEXT, "high": TEXT}, None), "idle": (SENTENCE, None),
        "drivers": [{
            "event": TEXT, "process": TEXT, "value": NUMBER, "low": NUMBER, "high": NUMBER, "lag": NUMBER,
            "explains": NUMBER, "alike": [TEXT], "source": TEXT,
        }],
    }],
    "events": [{
        "at": TEXT, "until": (str, None), "kind": TEXT, "text": TEXT, "key": TEXT, "args": dict, "process": TEXT,
        "capture": TEXT, "where": TEXT,
    }],
}  # fmt: skip


def fits(value: Any, shape: Any, path: str = "$") -> None:
    """Check a value against a shape: a type, several, {field: shape} with exactly these fields, or [shape]."""
    if isinstance(shape, tuple):
        if value is None and None in shape:
            return
        kinds = [one for one in shape if one is not None]
        if len(kinds) == 1:
            fits(value, kinds[0], path)
        else:
            assert type(value) in kinds, path
    elif isinstance(shape, dict):
        assert type(value) is dict, path
        assert value.keys() == shape.keys(), path
        for name, inner in shape.items():
            fits(value[name], inner, f"{path}.{name}")
    elif isinstance(shape, list):
        assert type(value) is list, path
        for at, one in enumerate(value):
            fits(one, shape[0] if shape else None, f"{path}[{at}]")
    else:
        assert type(value) is shape, f"{path}: {value!r}"


def test_the_contract() -> None:
    for diagnosis in (rich(), empty()):
        text = json.dumps(document(diagnosis), allow_nan=False)
        fits(json.loads(text), CONTRACT)
        assert text == json.dumps(document(diagnosis), allow_nan=False)


def test_what_stands_in_it() -> None:
    found = json.loads(json.dumps(document(rich())))
    assert found["schema"] == "oakum.diagnosis/1"
    assert found["summary"] == {"text": "2 leaks found.", "key": "verdict.leaking", "args": {"findings": 2}}
    assert found["moments"][0] == {"at": "2026-03-01T12:00:00Z", "process": "p1", "baseline": False, "label": "before", "inputs": [FIRST]}  # fmt: skip
    first, second = found["findings"]
    assert first["title"].endswith(": 1,103 goroutines in k8s.io/apimachinery/pkg/watch.(*StreamWatcher).receive")
    assert first["growth"][0]["counts"] == [3, None, 53, 1103]
    assert first["growth"][1]["per_hour"] is None, "JSON knows no NaN"
    assert first["share"]["goroutines"] == 0.966667
    assert first["remedies"][0]["kind"] == "upgrade"
    # A finding that brings no advice gets that of its mechanism, and the command that shows its place.
    assert second["remedies"][0]["key"] == "mechanism.growing-container.do"
    assert second["commands"] == [r"oakum peek 'orders\.\(\*Desk\)\.Add' case/after/goroutine.txt"]
    assert found["memory"]["rss"] == 512 << 20
    assert [memory["process"] for memory in found["memories"]] == ["p1", "p2"]


def test_nothing_is_there() -> None:
    found = document(empty())
    assert found["verdict"] == "healthy"
    assert found["findings"] == found["memories"] == found["gaps"] == []
    assert found["memory"]["rss"] is None
