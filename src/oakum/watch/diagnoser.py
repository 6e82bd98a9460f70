"""The evidence of one target -> a diagnosis by the pipeline, as it is kept: JSON document, HTML page, findings."""

from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from oakum.model import Capture, Case, Diagnosis, Finding, NotAssembled, stack_key
from oakum.pipeline.case import assemble_case, input_of
from oakum.pipeline.diagnosis import Options, diagnose_case
from oakum.store.rows import FindingRow, SnapshotRow
from oakum.store.summary import place_key
from oakum.watch.evidence import Kept
from oakum.watch.incidents import SURE, Sighting

_PLACES_MOST = 16  # of one finding


class Judged(Struct, frozen=True, eq=False):
    """What a diagnosis came to."""

    verdict: str  # "": too little to say
    sightings: tuple[Sighting, ...] = ()
    document: bytes = b""
    page: bytes = b""
    snapshots: tuple[Kept, ...] = ()  # that it was made of
    captures: tuple[tuple[tuple[str, Capture], ...], ...] = ()  # of each of them: file, bytes
    row: SnapshotRow | None = None  # of the newest
    dumps: int = 0  # of the newest run: with the ids of goroutines


def judge(
    service: str, evidence: Sequence[tuple[Kept, Sequence[tuple[str, Capture]]]], source: Sequence[str] = ()
) -> Judged:
    """Return the diagnosis of what was captured of one target; verdict "" where that is too little."""
    inputs = []
    for number, (_, captures) in enumerate(evidence, 1):
        for file, capture in captures:
            inputs.append(input_of(capture, service, (str(number), file), service))
    try:
        case = assemble_case(inputs).case
    except NotAssembled:
        return Judged("")
    how = Options(tuple(source), read_source=bool(source), compile_drafts=False)
    diagnosis = diagnose_case(case, how).diagnosis
    newest, address = evidence[-1][0], evidence[-1][0].address
    at = datetime.fromtimestamp(newest.at / 1e6, UTC)
    diagnosis = replace(diagnosis, called=(f"store:{service}@{at:%Y-%m-%dT%H:%M:%SZ}",), target=address)
    last = case.processes[-1].id  # each run is one: what an earlier one leaked says nothing about this build
    sightings = tuple(
        _sighting(one, service, newest) for one in diagnosis.findings if one.suspect.sites[0].process == last
    )
    if not any(one.finding.confidence in SURE for one in sightings):
        return Judged(diagnosis.verdict, row=newest.row)
    document, page = _written(case, diagnosis)
    return Judged(
        diagnosis.verdict,
        sightings,
        document,
        page,
        tuple(kept for kept, _ in evidence),
        tuple(tuple(captures) for _, captures in evidence),
        newest.row,
        sum(kept.run == newest.run and kept.row.detail == "dump" for kept, _ in evidence),
    )


def _written(case: Case, diagnosis: Diagnosis) -> tuple[bytes, bytes]:
    from oakum.pipeline.figures import figures
    from oakum.report.html import render
    from oakum.report.json import diagnosis as stored
    from oakum.report.json import document
    from oakum.report.page.compose import compose

    data = document(diagnosis)
    drawn = figures(case, diagnosis.findings)
    page = render(compose(stored(data), "en", tuple(drawn), ""), data, drawn)
    return msgspec.json.encode(data), page.encode("utf-8", "backslashreplace")


def _sighting(found: Finding, service: str, newest: Kept) -> Sighting:
    suspect, frame = found.suspect, found.suspect.sites[0].frame
    goroutines = bool(suspect.traces)
    stacks = suspect.traces if goroutines else suspect.allocations
    key = stack_key if goroutines else place_key
    keys = dict.fromkeys(key(tuple(one.function for one in trace.frames)) for trace in stacks)
    per_hour = next((float(one.per_hour) for one in suspect.growth if one.per_hour is not None), None)
    row = FindingRow(
        service=service, run=newest.run, at=newest.at, finding=found.id, confidence=found.confidence,
        mechanism=found.mechanism, function=frame.function, file=frame.file, line=frame.line, growth_per_hour=per_hour,
    )  # fmt: skip
    return Sighting(row, tuple(keys)[:_PLACES_MOST], "goroutines" if goroutines else "heap")
