"""One profile -> the rows of its summary: places, counts, bytes. The cheap look that every profile gets.

A profile that is cut or damaged is refused with the reason: what is missing in it would look like growth. Each kind
of profile of one snapshot has a time of its own, microseconds apart, so that any order gives the same rows.
"""

from datetime import UTC, datetime

from msgspec import Struct

from oakum.model import Capture, NotAssembled, Text
from oakum.pipeline.case import assemble_case, input_of
from oakum.store.rows import PlaceRow, RunRow, SnapshotRow, run_id
from oakum.store.summary import figures_of, modules_of, places_of, row_of

PLACES_MOST = 48  # of each kind, as the watch keeps
BYTES_MOST = 64 << 20  # of one profile as it is stored; the largest of Kubernetes' own have some 5 MB
_AFTER = {"goroutine": 0, "goroutines": 0, "heap": 1, "allocs": 2, "goroutineleak": 3}
KINDS = frozenset(_AFTER)  # that tell of leaks; the others are passed over
_HARMLESS = ("trailing-bytes", "more-problems")


class Labels(Struct, frozen=True):
    """What is known of a profile beside its bytes; it overrides what the profile says. Empty or None: it decides."""

    service: str = ""
    replica: str = ""
    zone: str = ""
    build: str = ""
    profile: str = ""
    at: int | None = None


class Summary(Struct, frozen=True, eq=False):
    """The rows of one profile."""

    run: RunRow
    snapshot: SnapshotRow
    places: tuple[PlaceRow, ...]


class Refused(Struct, frozen=True):
    """A profile that is set aside, and why."""

    why: Text
    service: str = ""


class Passed(Struct, frozen=True):
    """A profile of a kind that says nothing about leaks."""

    kind: str


def moment(at: int, kind: str) -> int:
    """Return the time of a snapshot of one kind of profile: what makes it one with the service and the replica."""
    return at + _AFTER.get(kind, 0)


def summarize(capture: Capture, labels: Labels) -> Summary | Refused | Passed:
    """Return the summary of a profile. Never raises: bytes are hostile."""
    try:
        taken = datetime.fromtimestamp(labels.at / 1e6, UTC) if labels.at is not None else None
        given = Capture(capture.origin, capture.data, capture.received_at, taken)
        return _summarized(given, labels)
    except Exception as error:
        return Refused(Text("fleet.refused.failed", {"error": f"{type(error).__name__}: {error}"}), labels.service)


def _summarized(capture: Capture, labels: Labels) -> Summary | Refused | Passed:
    name = labels.service or "fleet"
    one = input_of(capture, name, ("1", "profile"), name)
    for problem in (problem for reading in one.readings for problem in reading.problems):
        if problem.key not in _HARMLESS:
            return Refused(problem.text, labels.service)
    kinds = [reading.kind for reading in one.readings]
    kind = next((kind for kind in kinds if kind in KINDS), "")
    if not kind:
        return Passed(kinds[0]) if kinds[:1] != ["unknown"] else Refused(Text("fleet.refused.unknown"), labels.service)
    try:
        case = assemble_case([one]).case
    except NotAssembled as error:
        return Refused(error.text, labels.service)
    process = case.processes[-1]
    snapshot, build = process.snapshots[-1], process.build
    service = labels.service or snapshot.identity.binary
    if not service:
        return Refused(Text("fleet.refused.no-service"))
    if snapshot.at is None:
        return Refused(Text("fleet.refused.no-time"), service)
    at = moment(round(snapshot.at.timestamp() * 1e6), kind)
    version = labels.build or snapshot.identity.version or (build.main_version if build else None) or ""
    version = version or snapshot.identity.build_id
    run = run_id(service, f"{labels.zone}\0{labels.replica}\0{version}", None)
    figures = figures_of(snapshot)
    return Summary(
        RunRow(
            run=run, service=service, replica=labels.replica, zone=labels.zone, first_seen=at,
            program=snapshot.identity.main or snapshot.identity.binary, version=version,
            go=(build.go if build else None) or snapshot.go_version or "", modules=modules_of(build),
        ),
        row_of(figures, run, service, at, detail="profile", captures=(capture.digest,)),
        tuple(place.row(run, service, at) for place in places_of(snapshot, PLACES_MOST)),
    )  # fmt: skip
