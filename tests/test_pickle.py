"""What the model is made of travels between processes: pickled and back it is the same. Cases: tests/regressions."""

import pickle
from types import MappingProxyType
from typing import TypeVar

from oakum.model import Strings

T = TypeVar("T")


def back(value: T) -> T:
    found: T = pickle.loads(pickle.dumps(value))  # noqa: S301  (our own)
    return found


def test_read_only_mappings_stay_read_only() -> None:
    view = back(MappingProxyType({"a": 1}))
    assert isinstance(view, MappingProxyType)
    assert view == {"a": 1}


def test_strings_that_are_a_view_into_a_capture() -> None:
    table = Strings.of(["", "main.leak", "\udcff"])
    table.blob = memoryview(table.blob)
    again = back(table)
    assert [again.raw(at) for at in range(len(again))] == [table.raw(at) for at in range(len(table))]
