"""Evidence that is there already -> a bundle of it, its names redacted where that is asked for."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from oakum.collect.bundle.given import given
from oakum.collect.bundle.write import Bundle
from oakum.collect.target import CaptureOptions
from oakum.pipeline.redaction import redaction
from oakum.report.words.lines import worded


def bundle_evidence(words: Sequence[str], place: Path, *, redacted: bool) -> Path:
    """Write what files, directories and archives hold as a bundle; return where it is. What cannot be redacted is left
    out, and its manifest says so."""
    options = CaptureOptions()
    bundle = Bundle(place, redaction() if redacted else None, (), True, worded)
    for target in given(words):
        plan = target.plan(options)
        bundle.snapshot(target, 1, plan, datetime.now(UTC))
        for problem in plan.problems:
            bundle.problem(target, problem)
        for step in plan.steps:
            bundle.add(target, 1, target.take(step, options))
    return bundle.close()
