"""A sentence before it has words: report/ owns them, in English and Chinese."""

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct, field

Argument = str | int | float | tuple[int, ...]


class Text(Struct, frozen=True):
    """One sentence: the key of its template in report/, and what stands in it; a part of it may be a Text itself."""

    key: str
    args: Mapping[str, "Argument | Text"] = field(default_factory=lambda: MappingProxyType({}))
