"""Tables of strings and columns of a profile."""

import numpy as np

from oakum.model import Strings
from oakum.model.profile import unique_values


def test_entries_are_found_by_how_they_begin() -> None:
    table = Strings.of(["", "runtime/pprof.profile", "a runtime/pprof.x", "runtime/", "net/http/pprof.Index", "pprof."])
    assert sorted(table.starting_with(b"runtime/pprof.", b"net/http/pprof.").tolist()) == [1, 4]
    assert table.starting_with(b"main.").tolist() == []
    assert Strings.of(["run", "time"]).starting_with(b"runtime").tolist() == []  # stands in two entries, begins none


def test_unique_values_are_those_of_numpy() -> None:
    for values in (np.array([3, 1, 1, 2, 3]), np.zeros(0, np.int64), np.array([7])):
        assert unique_values(values).tolist() == np.unique(values).tolist()
