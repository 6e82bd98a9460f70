"""A sentence before it has words: report/ owns them, in English and Chinese."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

Argument = str | int | float | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """One sentence: the key of its template in report/, and what stands in it."""

    key: str
    args: Mapping[str, Argument] = field(default_factory=lambda: MappingProxyType({}))


__all__ = ["Argument", "Text"]
