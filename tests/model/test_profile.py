"""Tables of strings and columns of a profile."""

import numpy as np

from oakum.model import Strings
from oakum.model.profile import among, unique_values


def test_entries_are_found_by_how_they_begin() -> None:
    table = Strings.of(["", "runtime/pprof.profile", "a runtime/pprof.x", "runtime/", "net/http/pprof.Index", "pprof."])
    assert sorted(table.starting_with(b"runtime/pprof.", b"net/http/pprof.").tolist()) == [1, 4]
    assert table.starting_with(b"main.").tolist() == []
    assert Strings.of(["run", "time"]).starting_with(b"runtime").tolist() == []  # stands in two entries, begins none


def test_entries_decoded_together_are_those_decoded_one_by_one() -> None:
    texts = ["", "main.run", "main.\udcff", "main.run", "net/http.Get"]
    together, alone = Strings.of(texts), Strings.of(texts)
    assert alone[4] == together[4] == "net/http.Get"  # one of them is known before
    rows = np.array([3, 0, -1, 4, 2, 1, 3], np.int32)
    assert together.texts(rows) == [alone[row] for row in rows.tolist()]
    assert together.texts(np.zeros(0, np.int64)) == []


def test_numbers_among_ordered_ones_are_those_of_numpy() -> None:
    ordered = np.array([1, 3, 3, 9])
    for some in (np.array([9, 2, 3, 10, 0, 1]), np.zeros(0, np.int64)):
        assert among(some, ordered).tolist() == np.isin(some, ordered).tolist()
    assert among(ordered, np.zeros(0, np.int64)).tolist() == [False] * 4


def test_unique_values_are_those_of_numpy() -> None:
    for values in (np.array([3, 1, 1, 2, 3]), np.zeros(0, np.int64), np.array([7])):
        assert unique_values(values).tolist() == np.unique(values).tolist()
