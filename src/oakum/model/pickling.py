"""Read-only mappings pickle, and so does every value of the house that has one: a case, a diagnosis.

Importing this module is what teaches it to pickle, for good: it adds one row to `copyreg`, and no more.
"""

import copyreg
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any


def _read_only(values: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(values)


def _reduced(view: MappingProxyType[Any, Any]) -> tuple[Any, tuple[Mapping[Any, Any]]]:
    return _read_only, (dict(view),)


copyreg.pickle(MappingProxyType, _reduced)

__all__: list[str] = []
