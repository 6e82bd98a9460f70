"""Cases and diagnoses travel between processes: pickled and back they are the same, for every regression."""

import pickle
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

import pytest

from oakum.cli.case import case
from oakum.diagnose import diagnose
from oakum.model import Strings
from oakum.report.json import document
from support import ROOT

REGRESSIONS = sorted(path for path in (ROOT / "tests/regressions").iterdir() if (path / "captures").is_dir())


T = TypeVar("T")


def back(value: T) -> T:
    found: T = pickle.loads(pickle.dumps(value))  # noqa: S301  (our own)
    return found


@pytest.mark.parametrize("folder", REGRESSIONS, ids=lambda folder: folder.name)
def test_a_case_and_its_diagnosis(folder: Path) -> None:
    given = case([str(folder / "captures")])
    diagnosis = diagnose(given)
    assert back(diagnosis) == diagnosis
    again = diagnose(back(given))
    assert document(again) == document(diagnosis)


def test_read_only_mappings_stay_read_only() -> None:
    view = back(MappingProxyType({"a": 1}))
    assert isinstance(view, MappingProxyType)
    assert view == {"a": 1}


def test_strings_that_are_a_view_into_a_capture() -> None:
    table = Strings.of(["", "main.leak", "\udcff"])
    table.blob = memoryview(table.blob)
    again = back(table)
    assert [again.raw(at) for at in range(len(again))] == [table.raw(at) for at in range(len(table))]
