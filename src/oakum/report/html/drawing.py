"""A picture that is made elsewhere and put into the page: a flame graph."""

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct, field


class Drawing(Struct, frozen=True):
    """Parts of a page, trusted: whoever makes them has escaped what comes from evidence. It suits every language."""

    markup: str  # where it is drawn, with all ids its own
    style: str = ""
    script: str = ""  # finds the markup and the data by itself once the page is read
    data: Mapping[str, str] = field(
        default_factory=lambda: MappingProxyType({})
    )  # id of a block -> JSON without markup
    words: Mapping[str, Mapping[str, str]] = field(
        default_factory=lambda: MappingProxyType({})
    )  # language -> such blocks

    def blocks(self, lang: str) -> dict[str, str]:
        """Return the blocks of data that a page in this language carries."""
        return {**self.data, **self.words.get(lang, self.words.get("en", {}))}
