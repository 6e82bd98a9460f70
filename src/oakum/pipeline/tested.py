"""What was captured of a test -> its diagnosis, by the same rules as that of a service: an iteration is its work."""

import math
from collections.abc import Sequence
from datetime import UTC
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from oakum.assemble import Input
from oakum.collect.files import gather
from oakum.compare.trial import Load, slope
from oakum.experiment.go_tests import HELPER, Measured
from oakum.experiment.record import FILE, record
from oakum.judge import verdict
from oakum.model import Case, Diagnosis, Experiment, Finding, NotAssembled, Site, Slope, Stage, Text
from oakum.model.experiment import SlopeMeasure
from oakum.model.tested import Tested
from oakum.pipeline.case import assemble_case, input_of
from oakum.pipeline.diagnosis import Options, diagnose_case

_UNIT = "iteration"


def judged(one: Measured, *, compile_drafts: bool = True, kept: bool = False) -> Tested:
    """Return what stays after a test."""
    made = Tested(
        one.package.path,
        one.name,
        one.kind,
        one.outcome,
        one.stages[-1].work if one.stages else 0,
        said=one.said,
        captures=str(one.captures) if kept else "",
    )
    case = _case(one) if one.outcome not in ("idle",) and len(one.stages) > 1 else None
    if case is None:
        return made
    source = (str(one.package.module or one.package.folder),)
    diagnosis = _told_once(diagnose_case(case, Options(source, compile_drafts=compile_drafts)).diagnosis)
    diagnosis = replace(diagnosis, called=("--source", *source, str(one.captures)))
    return replace(made, diagnosis=diagnosis, slopes=_slopes(case, diagnosis))


def _told_once(diagnosis: Diagnosis) -> Diagnosis:
    """Return the diagnosis without what the file that measures holds itself, and without what is said twice."""
    held = _functions_of_goroutines(diagnosis.findings)
    findings = [
        _without_our_sites(one)
        for one in diagnosis.findings
        if not _is_ours(one.suspect.sites[0]) and not (_is_memory(one) and one.suspect.sites[0].frame.function in held)
    ]
    ranked = tuple(one.ranked(at) for at, one in enumerate(findings, 1))
    said = verdict(ranked, compared=True)
    return replace(diagnosis, verdict=said, summary=Text(f"verdict.{said}", {"findings": len(ranked)}), findings=ranked)


def _functions_of_goroutines(findings: Sequence[Finding]) -> set[str]:
    """Return the functions on the stacks of goroutines that leak, and those that started them.

    Each allocation of a test is seen, those of a few bytes too: what these functions allocate goes with their
    goroutines, and is no leak of its own as long as they stay.
    """
    traces = [one for found in findings if found.confidence != "possible" for one in found.suspect.traces]
    frames = [frame for one in traces for frame in (*one.frames, *([one.created] if one.created else []))]
    return {frame.function for frame in frames}


def _is_memory(found: Finding) -> bool:
    return not any(one.measure == "goroutines" for one in found.suspect.growth)


def _without_our_sites(found: Finding) -> Finding:
    sites = tuple(site for site in found.suspect.sites if not _is_ours(site))
    return replace(found, suspect=replace(found.suspect, sites=sites))


def _is_ours(site: Site) -> bool:
    return site.frame.file.endswith(HELPER)


def _case(one: Measured) -> Case | None:
    """Return the case that its captures make, with the work between them; None where there is nothing in them."""
    stages = tuple(
        Stage("batch" if stage.work else "settle", stage.at.astimezone(UTC), stage.work, stage.work)
        for stage in one.stages
    )
    made = Experiment(one.package.path, _UNIT, stages, (one.name,))
    (one.captures / FILE).write_bytes(record(made))
    try:
        found = assemble_case(_inputs(one.captures), builds=_inputs(one.program)).case
    except NotAssembled:
        return None
    # Stages and snapshots were written one after the other, faster than a clock tells them apart.
    processes = tuple(
        replace(process, experiment=replace(process.experiment or made, stages=stages))
        if len(process.snapshots) == len(stages)
        else process
        for process in found.processes
    )
    return replace(found, processes=processes)


def _inputs(place: Path) -> list[Input]:
    given = str(place)
    return [
        input_of(capture, given, tuple(capture.origin[len(given) + 1 :].split("/")) if capture.origin != given else ())
        for capture in gather((given,))
    ]


def _slopes(case: Case, diagnosis: Diagnosis) -> dict[str, Slope]:
    """Return what each iteration leaves of what a finding measures, by the finding's id."""
    loads = {one.id: Load.of(one.experiment.stages, _UNIT) for one in case.processes if one.experiment}
    found = {one.id: _slope(one, loads) for one in diagnosis.findings}
    return {name: slope for name, slope in found.items() if slope is not None}


def _slope(found: Finding, loads: dict[str, Load]) -> Slope | None:
    load = loads.get(found.suspect.sites[0].process)
    growth = {one.measure: one.counts for one in found.suspect.growth if one.against == "past"}
    measure: SlopeMeasure = "goroutines" if "goroutines" in growth else "inuse_space"
    if load is None or len(growth.get(measure, ())) != len(load.done):
        return None
    values = np.array([math.nan if count is None else count for count in growth[measure]], np.float64)
    # Each allocation was seen, not one in so many: bytes have no noise of sampling.
    return slope(measure, values, load, None if measure == "goroutines" else np.zeros(len(values)))
