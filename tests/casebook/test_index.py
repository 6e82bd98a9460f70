"""casebook/INDEX.md lists every case, as its files say it."""

from collections.abc import Callable
from pathlib import Path

from casebook.runner.case import CASEBOOK, chosen
from casebook.runner.index import index


def test_the_index_is_what_the_cases_say(golden: Callable[[Path, str], None]) -> None:
    golden(CASEBOOK / "INDEX.md", index(chosen(())))
