"""HTTP: one request -> its answer, within time and size, credentials kept from whom they are not meant for."""

from typing import TYPE_CHECKING

from oakum.collect.web.access import Access

if TYPE_CHECKING:
    from oakum.collect.web.endpoint import Answer, HttpEndpoint


def __getattr__(name: str) -> object:
    """Import what speaks HTTP only for those who do: commands that read files know Access, and no endpoint."""
    if name in ("Answer", "HttpEndpoint"):
        from oakum.collect.web import endpoint

        return getattr(endpoint, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["Access", "Answer", "HttpEndpoint"]
