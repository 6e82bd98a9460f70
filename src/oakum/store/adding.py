"""Evidence and saved diagnoses -> a store: what was captured elsewhere becomes its history.

Goes through the pipeline like any evidence: snapshots, places and the findings of a diagnosis without source, or of the
saved one that was made of the same captures. What is in the store already is not added again.
"""

import json
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from oakum.model import Case, Diagnosis, Finding, Process, Snapshot
from oakum.store.rows import Batch, EventRow, FindingRow, IncidentRow
from oakum.store.summary import batch_of, micros

if TYPE_CHECKING:
    from oakum.collect.files import Complaint
    from oakum.pipeline.evidence import Inputs
    from oakum.store.writer import Writer


class Added(Struct, frozen=True):
    """What came into the store."""

    services: tuple[str, ...] = ()
    snapshots: int = 0
    known: int = 0  # snapshots that were there already
    findings: int = 0


def add_evidence(
    writer: "Writer",
    files: Sequence[str],
    now: int,
    name: str = "",
    saved: Sequence[Diagnosis] = (),
    complain: "Complaint | None" = None,
) -> Added:
    """Add what files, directories, bundles and archives hold, and saved diagnoses; raise NotAssembled when nothing in
    them can be diagnosed. A diagnosis of `saved` that was made of the same captures is taken for that of the evidence.
    """
    from oakum.pipeline.evidence import read_evidence
    from oakum.pipeline.saved import looks_saved

    found = {file: looks_saved(file) for file in files}
    told = [one.diagnosis() for one in found.values() if one is not None]
    evidence = [file for file, one in found.items() if one is None]
    if not evidence:
        return _sum([add_diagnosis(writer, one, now, name) for one in told])
    inputs = read_evidence(evidence, complain)
    added, taken = add_inputs(writer, inputs, now, name, (*told, *saved))
    return _sum([added, *(add_diagnosis(writer, one, now, name) for one in told if one is not taken)])


def add_inputs(
    writer: "Writer",
    inputs: "Inputs",
    now: int,
    name: str = "",
    saved: Sequence[Diagnosis] = (),
    *,
    incident: str = "",
    diagnosed: bool = True,
) -> tuple[Added, Diagnosis | None]:
    """Add what was read; return also which of the saved diagnoses is of the same captures.

    `incident`: that of what is found; `diagnosed`: False leaves what no saved diagnosis is of undiagnosed.
    """
    from oakum.collect.bundle.names import safe_name
    from oakum.pipeline.case import assemble_case
    from oakum.pipeline.diagnosis import Options, diagnose_case

    case = assemble_case(inputs).case
    captures = _captures_of(case)
    same = next((one for one in saved if captures and captures <= _made_of(one)), None)
    diagnosis = same
    if diagnosis is None and diagnosed:
        diagnosis = diagnose_case(case, Options(read_source=False, compile_drafts=False)).diagnosis
    bytes_of = {
        item.capture.digest: (safe_name(Path(item.capture.origin).name, "capture"), bytes(item.capture.data))
        for item in inputs
    }
    return add_case(writer, case, diagnosis, bytes_of, now, name, incident), same


def _captures_of(case: Case) -> set[str]:
    snapshots = (one for process in case.processes for one in process.snapshots)
    return {source.digest for one in snapshots for source in one.sources.values()}


def _made_of(diagnosis: Diagnosis) -> set[str]:
    """Return the captures that a diagnosis is of; those of its baseline are not."""
    return {digest for one in diagnosis.moments if not one.baseline for digest in one.inputs}


def _sum(parts: Sequence[Added]) -> Added:
    return Added(
        tuple(dict.fromkeys(service for one in parts for service in one.services)),
        sum(one.snapshots for one in parts),
        sum(one.known for one in parts),
        sum(one.findings for one in parts),
    )


def add_case(
    writer: "Writer",
    case: Case,
    diagnosis: Diagnosis | None,
    bytes_of: Mapping[str, tuple[str, bytes]],
    now: int,
    name: str = "",
    incident: str = "",
) -> Added:
    """Add the processes of a case and what was found in them. `bytes_of`: digest -> file name and bytes of a capture.

    `name`: of the service, in place of that of each process; `incident`: that of the findings.
    """
    from oakum.store.reader import Reader

    batches: list[Batch] = []
    services: dict[str, str] = {}
    known = 0
    with Reader(writer.directory) as reader:
        for process in case.processes:
            service = services[process.id] = name or process.name
            times = _times(process, now)
            batch = batch_of(process, service, times)
            run = batch.runs[0].run
            have = {row.at for row in reader.snapshots(service, min(times), max(times)) if row.run == run}
            known += sum(at in have for at in times)
            # An undated capture has no time by which it could be known.
            kept_before = reader.captured(service) if any(one.at is None for one in process.snapshots) else set()
            again = [
                at
                for one, at in zip(process.snapshots, times, strict=True)
                if one.at is None
                and at not in have
                and {source.digest for source in one.sources.values()} <= kept_before
            ]
            known += len(again)
            fresh = [at for at in times if at not in have and at not in again]
            if not fresh:
                continue
            kept = {
                one.label: _keep(writer, one, bytes_of)
                for one, at in zip(process.snapshots, times, strict=True)
                if at in fresh
            }
            whole = batch_of(process, service, times, kept)
            batches.append(
                Batch(
                    runs=whole.runs,
                    snapshots=tuple(row for row in whole.snapshots if row.at in fresh),
                    places=tuple(row for row in whole.places if row.at in fresh),
                )
            )
    if not batches:
        return Added(tuple(services.values()), 0, known)
    snapshots = tuple(row for batch in batches for row in batch.snapshots)
    runs = {service: batch.runs[0].run for batch in batches for service in [batch.runs[0].service]}
    at = max(row.at for row in snapshots)
    told = Batch()
    if diagnosis is not None:
        names = {process.id: name or process.name for process in diagnosis.processes}
        told = _diagnosed(writer, diagnosis, names, runs, at, incident)
    writer.append(
        Batch(
            runs=tuple(row for batch in batches for row in batch.runs),
            snapshots=snapshots,
            places=tuple(row for batch in batches for row in batch.places),
            findings=told.findings,
            events=told.events,
            incidents=_incidents(
                told.findings, {run.run: run.replica for batch in batches for run in batch.runs}, diagnosis
            ),
        )
    )
    return Added(tuple(dict.fromkeys(services.values())), len(snapshots), known, len(told.findings))


def _keep(writer: "Writer", snapshot: Snapshot, bytes_of: Mapping[str, tuple[str, bytes]]) -> list[str]:
    digests = dict.fromkeys(source.digest for source in snapshot.sources.values())
    return [writer.keep(bytes_of[one][1], bytes_of[one][0]) for one in digests if one in bytes_of]


def add_diagnosis(writer: "Writer", diagnosis: Diagnosis, now: int, name: str = "") -> Added:
    """Add the findings of a saved diagnosis, once; its captures are not in it."""
    services = {process.id: name or process.name for process in diagnosis.processes}
    times = [micros(moment.at) for moment in diagnosis.moments if moment.at and not moment.baseline]
    told = _diagnosed(writer, diagnosis, services, {}, max(times, default=now))
    if not told.events:
        return Added(tuple(dict.fromkeys(services.values())))
    writer.append(told)
    return Added(tuple(dict.fromkeys(services.values())), findings=len(told.findings))


def _diagnosed(
    writer: "Writer",
    diagnosis: Diagnosis,
    services: Mapping[str, str],
    runs: Mapping[str, str],
    at: int,
    incident: str = "",
) -> Batch:
    """Return the rows of a diagnosis, which is kept as a document; none when the store has it already."""
    from oakum.report.json import document
    from oakum.store.reader import Reader

    text = json.dumps(document(diagnosis), ensure_ascii=False).encode("utf-8", "backslashreplace")
    digest = writer.keep(text, "diagnosis.json")
    with Reader(writer.directory) as reader:
        if reader.citing(digest):
            return Batch()
    findings = []
    for found in diagnosis.findings:
        service = services.get(found.suspect.sites[0].process, "") if found.suspect.sites else ""
        service = service or next(iter(services.values()), "")
        row = finding_row(found, service, runs.get(service, ""), at, digest)
        findings.append(replace(row, incident=incident))
    events = []
    for one in dict.fromkeys(services.values()):
        verdict = _verdict_of(diagnosis, {process for process, name in services.items() if name == one})
        args = json.dumps({"verdict": verdict, "findings": len(findings), "document": digest})
        events.append(
            EventRow(
                service=one, run=runs.get(one, ""), at=at, kind="diagnosis", key="store.event.diagnosis", args=args
            )
        )
    return Batch(findings=tuple(findings), events=tuple(events))


def _verdict_of(diagnosis: Diagnosis, processes: Set[str]) -> str:
    """Return the verdict on some of the processes: who only stood beside what leaks does not leak."""
    sites = {site.process for one in diagnosis.findings for site in one.suspect.sites}
    victims = {victim.process for one in diagnosis.findings for victim in one.suspect.victims}
    if diagnosis.verdict != "leaking" or not sites.isdisjoint(processes) or not victims.isdisjoint(processes):
        return diagnosis.verdict
    looks = [one.process for one in diagnosis.moments if not one.baseline and one.process in processes]
    return "healthy" if len(looks) > len(set(looks)) else "undecided"


def _incidents(
    findings: Sequence[FindingRow], replicas: Mapping[str, str], diagnosis: Diagnosis | None
) -> tuple[IncidentRow, ...]:
    """Return the incident that findings are of, as the worst of them tells it."""
    first = next((one for one in findings if one.incident), None)
    if first is None or diagnosis is None:
        return ()
    low, high = _beginning(diagnosis, next(one for one in diagnosis.findings if one.id == first.finding))
    row = IncidentRow(
        incident=first.incident,
        service=first.service,
        state="open",
        opened_at=first.at,
        updated_at=first.at,
        since=high,
        since_low=low,
        since_high=high,
        verdict="leaking",
        mechanism=first.mechanism,
        function=first.function,
        file=first.file,
        line=first.line,
        replicas=(replicas[first.run],) if replicas.get(first.run) else (),
        revision=1,
    )
    return (row,)


def _beginning(diagnosis: Diagnosis, found: Finding) -> tuple[int | None, int | None]:
    """Return when the last snapshot without a finding was taken and when the first with it; None when none tells."""
    from oakum.report.page.since import began, dated

    for growth in found.suspect.growth:
        values = dated(diagnosis, found.suspect.sites[0].process, growth) if found.suspect.sites else ()
        at = began(values)
        if at is not None:
            before = max(step for step in range(at) if values[step].value is not None)
            low, high = values[before].at, values[at].at
            if low is not None and high is not None:
                return micros(low), micros(high)
    return None, None


def finding_row(found: Finding, service: str, run: str, at: int, document: str) -> FindingRow:
    frame = found.suspect.sites[0].frame if found.suspect.sites else None
    growth = next((float(one.per_hour) for one in found.suspect.growth if one.per_hour is not None), None)
    return FindingRow(
        service=service,
        run=run,
        at=at,
        finding=found.id,
        confidence=found.confidence,
        mechanism=found.mechanism,
        function=frame.function if frame else "",
        file=(frame.file or "") if frame else "",
        line=(frame.line or 0) if frame else 0,
        growth_per_hour=growth,
        document=document,
    )


def _times(process: Process, now: int) -> list[int]:
    """Return when each snapshot was taken, each at a time of its own; undated ones end now, a second apart."""
    count = len(process.snapshots)
    times = [
        micros(one.at) if one.at is not None else now - (count - 1 - number) * 1_000_000
        for number, one in enumerate(process.snapshots)
    ]
    return [at + sum(other == at for other in times[:number]) for number, at in enumerate(times)]
