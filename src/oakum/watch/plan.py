"""A configuration -> what --check prints: what would be watched, how often, where it is kept, whom it tells."""

from collections.abc import Iterator, Sequence

from oakum.model import UsageError
from oakum.model.sizes import size
from oakum.watch.announcer import open_channels
from oakum.watch.config import Config
from oakum.watch.discovery import Named, groups_in


def described(config: Config, named: Sequence[Named]) -> Iterator[str]:
    """Yield the lines; a file of service discovery is read, and raises when it is none."""
    yield f"store     {config.store}"
    yield f"every     {_span(config.every)}"
    allowance = config.allowance
    dumps = f"full dumps up to {config.goroutines:,} goroutines"
    yield f"budget    {allowance.cpu_share:.2%} of a core, {size(allowance.bytes_per_hour)}/h, {dumps}"
    if config.listen:
        yield f"metrics   http://{config.listen}/metrics, /healthz"
    for channel in open_channels(config):
        yield f"notify    {channel.name}"
    for at in named:
        yield from _target(at, config)


def _target(one: Named, config: Config) -> Iterator[str]:
    service = f" as {one.service}" if one.service else ""
    every = f" every {_span(one.every)}" if one.every and one.every != config.every else ""
    chosen = f" -l {one.access.selector}" if one.access.selector else ""
    yield f"target    {one.word}{chosen}{service}{every}"
    if one.file is not None:
        try:
            data = one.file.read_bytes()
        except OSError as error:
            raise UsageError(f"{one.file}: {error.strerror or error}") from error
        for address, labels in groups_in(data, str(one.file)):
            yield f"            {address} ({one.service or labels.get('job', address)})"


def _span(seconds: float) -> str:
    parts = [(int(seconds // 3600), "h"), (int(seconds % 3600 // 60), "m")]
    rest = seconds % 60
    text = "".join(f"{value}{unit}" for value, unit in parts if value)
    return text + (f"{rest:g}s" if rest or not text else "")
