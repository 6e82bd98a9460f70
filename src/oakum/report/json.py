"""A diagnosis -> the JSON document that programs read: schema oakum.diagnosis/1, additive changes only.

Every sentence is its English text with `key` and `args`, so that it can be said in another language later. The same
diagnosis gives the same document, to the byte. Lists whose stage does not exist yet are empty.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from oakum import __version__
from oakum.model import (
    Build,
    Cause,
    Evidence,
    Excerpt,
    Explained,
    Finding,
    Frame,
    Gap,
    Growth,
    InputRow,
    KnownMatch,
    Memory,
    MomentRow,
    Point,
    ProcessRow,
    Remedy,
    Site,
    Text,
    Victim,
)
from oakum.model.diagnosis import Diagnosis
from oakum.report.advice import commands, origins, remedies
from oakum.report.layout import utc
from oakum.report.page.derive import Derive
from oakum.report.words import say

SCHEMA = "oakum.diagnosis/1"


def document(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return the document of a diagnosis."""
    captures, derive = origins(diagnosis), Derive(diagnosis)
    memories = [_memory(one) for one in diagnosis.memory]
    return {
        "schema": SCHEMA,
        "tool": diagnosis.tool or __version__,
        "verdict": diagnosis.verdict,
        "summary": _sentence(diagnosis.summary),
        "processes": [_process(one) for one in diagnosis.processes],
        "moments": [_moment(one) for one in diagnosis.moments],
        "findings": [_finding(one, captures, derive) for one in diagnosis.findings],
        "explained": [_explained(one) for one in diagnosis.explained],
        "memory": memories[0] if memories else _memory(Memory()),
        "memories": memories if len(memories) > 1 else [],
        "gaps": [_gap(one) for one in diagnosis.gaps],
        "inputs": [_input(one) for one in diagnosis.inputs],
        "chains": [],
        "timeline": [_point(one) for one in diagnosis.timeline],
        "trials": [],
        "called": list(diagnosis.called),
    }


def _sentence(text: Text) -> dict[str, Any]:
    return {"text": _said(text), "key": text.key, "args": _args(text.args)}


def _said(text: Text) -> str:
    """Return the sentence with its numbers as they are stored, so that it can be said again from them."""
    return say(Text(text.key, {name: _number(value) for name, value in text.args.items()}))


def _args(args: Mapping[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else _number(value) for name, value in args.items()}


def _number(value: Any) -> Any:
    """Return a float with six digits, which is more than any measure here has; JSON knows no NaN."""
    if not isinstance(value, float):
        return value
    return float(f"{value:.6g}") if math.isfinite(value) else None


def _time(when: datetime | None) -> str | None:
    if when is None:
        return None
    return utc(when).isoformat().replace("+00:00", "Z")


def _process(row: ProcessRow) -> dict[str, Any]:
    known = {"address": row.address} if row.address else {}
    return {"id": row.id, "name": row.name, "build": _build(row.build), **known}


def _build(build: Build | None) -> dict[str, Any] | None:
    if build is None:
        return None
    return {
        "go": build.go,
        "path": build.path,
        "main": build.main,
        "version": build.main_version,
        "modules": dict(build.modules or {}),
    }


def _moment(row: MomentRow) -> dict[str, Any]:
    return {
        "at": _time(row.at),
        "process": row.process,
        "baseline": row.baseline,
        "label": row.label,
        "inputs": list(row.inputs),
    }


def _point(point: Point) -> dict[str, Any]:
    return {
        "at": _time(point.at),
        "process": point.process,
        "baseline": point.baseline,
        "captured": point.captured,
        "label": point.label,
        "totals": dict(point.totals),
        "inputs": list(point.inputs),
    }


def _finding(found: Finding, captures: Mapping[str, str], derive: Derive) -> dict[str, Any]:
    suspect = found.suspect
    return {
        "id": found.id,
        "rank": found.rank,
        "mechanism": found.mechanism,
        "confidence": found.confidence,
        "title": _said(found.title),
        "key": found.title.key,
        "args": _args(found.title.args),
        "sites": [_site(one) for one in suspect.sites],
        "victims": [_victim(one) for one in suspect.victims],
        "path": [_frame(one) for one in suspect.path],
        "growth": [{**_growth(one), "command": derive.growth(found, one)} for one in suspect.growth],
        "share": {name: _number(float(share)) for name, share in suspect.share.items()},
        "cause": cause_document(found.cause) if found.cause else None,
        "known": [known_document(one) for one in found.known],
        "remedies": [remedy_document(one) for one in remedies(found)],
        "leads": [asdict(one) for one in found.leads],
        "commands": list(commands(found, captures, derive.diagnosis.called)),
        "evidence": [{**_evidence(one), "command": derive.claim(found, one)} for one in suspect.evidence],
    }  # fmt: skip


def known_document(known: KnownMatch) -> dict[str, Any]:
    """Return the upstream bug of a finding as it stands in documents."""
    return {
        "id": known.id,
        "module": known.module,
        "found": known.found,
        "fixed": list(known.fixed),
        "upgrade_to": known.upgrade_to,
        "where": known.where,
        "affects_build": known.affects_build,
        "references": list(known.references),
        "summary": _sentence(known.summary) if known.summary else None,
        "says": [_sentence(one) for one in known.says],
        "reviewed": known.reviewed,
        "fault": known.fault,
    }


def cause_document(cause: Cause) -> dict[str, Any]:
    """Return a cause as it stands in documents."""
    return {
        "because": " ".join(_said(one) for one in cause.because),
        "says": [_sentence(one) for one in cause.because],
        "sites": [
            {"role": one.role, **_frame(one.frame), "code": one.code, "process": one.process} for one in cause.sites
        ],
        "excerpts": [
            {"file": one.file, "first": one.first, "lines": list(one.lines), "marks": _marks(one)}
            for one in cause.excerpts
        ],
        "sources": list(cause.sources),
    }


def _marks(excerpt: Excerpt) -> dict[str, str]:
    return {str(line): role for line, role in excerpt.marks.items()}


def _frame(frame: Frame) -> dict[str, Any]:
    return {"function": frame.function, "file": frame.file, "line": frame.line}


def _site(site: Site) -> dict[str, Any]:
    return {
        "role": site.role,
        **_frame(site.frame),
        "state": site.state,
        "count": site.count,
        "process": site.process,
    }


def _victim(victim: Victim) -> dict[str, Any]:
    return {
        **_frame(victim.frame),
        "state": victim.state,
        "count": victim.count,
        "because": victim.because,
        "process": victim.process,
    }


def _growth(growth: Growth) -> dict[str, Any]:
    event = growth.per_event
    return {
        "measure": growth.measure,
        "counts": list(growth.counts),
        "per_hour": _number(growth.per_hour),
        "per_event": {name: _number(value) for name, value in asdict(event).items()} if event else None,
        "against": growth.against,
    }


def remedy_document(remedy: Remedy) -> dict[str, Any]:
    """Return a remedy as it stands in documents."""
    return {
        "kind": remedy.kind,
        "text": _said(remedy.text),
        "key": remedy.text.key,
        "args": _args(remedy.text.args),
        "diff": remedy.diff,
        "risk": _said(remedy.risk) if remedy.risk else None,
        "risk_key": remedy.risk.key if remedy.risk else None,
        "risk_args": _args(remedy.risk.args) if remedy.risk else {},
        "compiled": remedy.compiled,
    }


def _evidence(evidence: Evidence) -> dict[str, Any]:
    return {
        "kind": evidence.kind,
        "claim": _said(evidence.claim),
        "key": evidence.claim.key,
        "args": _args(evidence.claim.args),
        "capture": evidence.capture,
        "where": evidence.where,
        "excerpt": evidence.excerpt,
    }


def _explained(one: Explained) -> dict[str, Any]:
    return {
        "mechanism": one.mechanism,
        "title": _said(one.title),
        "key": one.title.key,
        "args": _args(one.title.args),
        "sites": [_site(site) for site in one.sites],
    }


def _memory(memory: Memory) -> dict[str, Any]:
    return {
        "process": memory.process,
        "rss": memory.rss,
        "limit": memory.limit,
        "heap_live": memory.heap_live,
        "heap_dead": memory.heap_dead,
        "heap_idle": memory.heap_idle,
        "heap_released": memory.heap_released,
        "stacks": memory.stacks,
        "runtime": memory.runtime,
        "off_heap": memory.off_heap,
        "next_gc": memory.next_gc,
        "last_gc": _time(memory.last_gc),
        "full_in_seconds": _number(memory.full_in_seconds),
        "says": [_sentence(one) for one in memory.says],
    }


def _gap(gap: Gap) -> dict[str, Any]:
    return {
        "what": _said(gap.what),
        "why": _said(gap.why),
        "command": gap.command,
        "key": gap.what.key,
        "args": _args(gap.what.args),
        "why_key": gap.why.key,
        "why_args": _args(gap.why.args),
    }


def _input(row: InputRow) -> dict[str, Any]:
    return {
        "origin": row.origin,
        "kind": row.kind,
        "format": row.format,
        "taken_at": _time(row.taken_at),
        "digest": row.digest,
        "problems": [{"key": one.key, "text": one.text, "where": one.where} for one in row.problems],
    }


__all__ = ["SCHEMA", "cause_document", "document", "remedy_document"]
