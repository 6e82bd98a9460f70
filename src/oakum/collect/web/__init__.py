"""HTTP: one request -> its answer, within time and size, credentials kept from whom they are not meant for."""

from typing import TYPE_CHECKING

from oakum.collect.web.access import Access

if TYPE_CHECKING:
    from oakum.collect.web.door import Answer, Door


def __getattr__(name: str) -> object:
    """Import what speaks HTTP only for those who do: commands that read files know Access, and no door."""
    if name in ("Answer", "Door"):
        from oakum.collect.web import door

        return getattr(door, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["Access", "Answer", "Door"]
