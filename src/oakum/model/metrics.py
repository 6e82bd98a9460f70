"""Numbers that a process, or the kernel about it, tells at one snapshot: metric and labels -> value."""

import re
from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct

Labels = tuple[tuple[str, str], ...]  # sorted by name

# http_requests_total, grpc_server_handled_total, rest_client_requests_total, apiserver_request_duration_seconds_count
_REQUESTS = re.compile(r"(?:request|handled|rpc|quer|message|command)\w*_(?:total|count)$")
_IMPOSSIBLE = 2.0**63  # bytes, goroutines or seconds; NaN, which exporters have for what they cannot tell, is not below


class Metrics(Struct, frozen=True, dict=True):
    """One scrape. Names are those of the Prometheus client for Go: go_goroutines, process_resident_memory_bytes ..."""

    values: Mapping[tuple[str, Labels], float]

    def total(self, name: str) -> float | None:
        """Return the sum of a metric over all its labels; None when it is not there, or is nothing that can be."""
        found = [value for value in self.by_labels(name).values() if abs(value) < _IMPOSSIBLE]
        return sum(found) if found else None

    def requests(self) -> float | None:
        """Return how many requests it has counted since its start, of whatever kind; None when it counts none."""
        found = [value for (name, _), value in self.values.items() if _REQUESTS.search(name)]
        return sum(found) if found else None

    def by_labels(self, name: str) -> Mapping[Labels, float]:
        return self._by_name.get(name, {})

    @cached_property
    def _by_name(self) -> dict[str, dict[Labels, float]]:
        """Return the samples of each metric: a scrape has thousands, and is asked for some thirty metrics."""
        found: dict[str, dict[Labels, float]] = {}
        for (metric, labels), value in self.values.items():
            found.setdefault(metric, {})[labels] = value
        return found

    def __len__(self) -> int:
        return len(self.values)
