"""Numbers that a process, or the kernel about it, tells at one snapshot: metric and labels -> value."""

from collections.abc import Mapping

from msgspec import Struct

Labels = tuple[tuple[str, str], ...]  # sorted by name

_IMPOSSIBLE = 2.0**63  # bytes, goroutines or seconds; NaN, which exporters have for what they cannot tell, is not below


class Metrics(Struct, frozen=True):
    """One scrape. Names are those of the Prometheus client for Go: go_goroutines, process_resident_memory_bytes ..."""

    values: Mapping[tuple[str, Labels], float]

    def total(self, name: str) -> float | None:
        """Return the sum of a metric over all its labels; None when it is not there, or is nothing that can be."""
        found = [value for (metric, _), value in self.values.items() if metric == name and abs(value) < _IMPOSSIBLE]
        return sum(found) if found else None

    def by_labels(self, name: str) -> dict[Labels, float]:
        return {labels: value for (metric, labels), value in self.values.items() if metric == name}

    def __len__(self) -> int:
        return len(self.values)
