"""An experiment -> experiment.json, the capture of its bundle that tells which work was done before each snapshot."""

import json
from datetime import UTC, datetime

from oakum.model.experiment import SCHEMA, Experiment, Stage

FILE = "experiment.json"


def record(experiment: Experiment) -> bytes:
    """Return the document; parse/experiment.py reads it."""
    document = {
        "schema": SCHEMA,
        "target": experiment.target,
        "unit": experiment.unit,
        "asked": list(experiment.asked),
        "ended": experiment.ended,
        "numbered": experiment.numbered,
        "stages": [_row(stage) for stage in experiment.stages if stage is not None],
    }
    return (json.dumps(document, indent=1) + "\n").encode()


def _row(stage: Stage) -> dict[str, object]:
    return {
        "phase": stage.phase,
        "at": _stamp(stage.at),
        "sent": stage.sent,
        "completed": stage.completed,
        "failed": stage.failed,
        "answers": [[int(status), count] for status, count in sorted(stage.statuses.items())],
    }


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
