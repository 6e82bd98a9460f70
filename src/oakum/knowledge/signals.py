"""Names of metrics -> what they measure. The list is signals.toml; loaded only where a range of metrics is given."""

import tomllib
from functools import cache
from importlib.resources import files

from msgspec import Struct, convert

from oakum.model.metrics import Labels


class _Affixes(Struct, frozen=True):
    prefixes: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


class _Restarts(Struct, frozen=True):
    start: tuple[str, ...]
    counters: tuple[str, ...]
    busy: tuple[str, ...]


class MetricNames(Struct, frozen=True):
    """What is known of the names of metrics."""

    usual: tuple[str, ...]
    measures: dict[str, tuple[str, ...]]
    no_work: _Affixes
    requests: _Affixes
    rounds: _Affixes
    restarts: _Restarts

    def is_work(self, name: str, labels: Labels) -> bool:
        """Tell whether a counter of this name may count units of work; what whoever looks asks for is none."""
        if name.startswith(self.no_work.prefixes) or name.endswith(self.no_work.suffixes):
            return False
        return not any(text.startswith(self.no_work.values) for _, text in labels)

    def is_request(self, name: str, labels: Labels) -> bool:
        """Tell whether a counter counts what asks a process to work."""
        return self.is_work(name, labels) and not self.rank(name)

    def rank(self, name: str) -> int:
        """Return how near a counter is to what asks a process to work: 0 requests, 1 its rounds, 2 anything else."""
        kinds = (self.requests, self.rounds)
        return next((at for at, kind in enumerate(kinds) if name.startswith(kind.prefixes)), len(kinds))


@cache
def metric_names() -> MetricNames:
    """Return the list."""
    text = files("oakum.knowledge").joinpath("signals.toml").read_text(encoding="utf-8")
    return convert(tomllib.loads(text), MetricNames)
