"""What is watched -> what the exporter tells: one row for each service, and how the watcher fares."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from oakum.watch.exporter import Health, ServiceStatus
from oakum.watch.incidents import Incidents
from oakum.watch.subject import Subject

if TYPE_CHECKING:
    from oakum.watch.watcher import Watcher


def statuses(subjects: Iterable[Subject], book: Incidents) -> list[ServiceStatus]:
    """Return the services, each with its worst incident."""
    by_service: dict[str, list[Subject]] = {}
    for one in subjects:
        by_service.setdefault(one.service, []).append(one)
    return [_status(service, replicas, book) for service, replicas in by_service.items()]


def _status(service: str, replicas: list[Subject], book: Incidents) -> ServiceStatus:
    open_ = book.of(service)
    worst = min(open_, key=lambda one: (one.row.limit_low or 1 << 62, one.row.opened_at), default=None)
    if worst is None:
        seen = any(one.latest is not None for one in replicas)
        growing = any(one.why for one in replicas)
        return ServiceStatus(service=service, verdict="healthy" if seen and not growing else "undecided")
    values = [samples[-1].value for samples in worst.samples.values() if samples]
    row, of_goroutines = worst.row, worst.kind == "goroutines"
    return ServiceStatus(
        service=service,
        verdict="leaking",
        incidents=len(open_),
        mechanism=row.mechanism,
        function=row.function,
        goroutines=int(sum(values)) if values and of_goroutines else None,
        bytes_per_hour=None if of_goroutines else worst.per_hour,
        goroutines_per_hour=worst.per_hour if of_goroutines else None,
        since=row.since,
        limit_low=row.limit_low,
        limit_high=row.limit_high,
    )


def health(watcher: "Watcher") -> Health:
    """Return how the watcher fares."""
    outbox = watcher.announcer.outbox
    return Health(
        targets=len(watcher.subjects),
        targets_lost=sum(one.lost for one in watcher.subjects.values()),
        captures=watcher.snapshots,
        capture_failures=watcher.failures,
        capture_bytes=watcher.fetched,
        store_bytes=watcher.ledger.size,
        store_failures=watcher.ledger.failures,
        notifications_waiting=len(outbox.waiting),
        notifications_delivered=watcher.announcer.delivered,
        notification_failures=outbox.failures,
        notifications_dropped=outbox.dropped,
        advanced=watcher.clock.now(),
    )
