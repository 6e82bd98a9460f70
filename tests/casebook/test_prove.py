"""`--prove` on a fixed sample of the casebook: each gets a test that fails without the drafted fix and passes with it.

The whole casebook is run by hand: `python -m casebook.runner prove --write` puts its table into docs/prove.md.
"""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from casebook.runner.case import case
from casebook.runner.prove import PAGE, Row, describe, proven
from oakum.model import Attempt, Proof, Text
from toolchain import need_go

SAMPLE = (
    "abandoned-receiver-exports",
    "abandoned-sender-freight",
    "detached-wait-dropzone",
    "growing-container-floorctl",
    "lost-signal-boxoffice",
    "unclosed-body-hookrelay",
    "unstopped-worker-policies",
    "waitgroup-never-done-shelfindex",
)


@pytest.mark.live
def test_the_sample_gets_tests() -> None:
    need_go()
    with ThreadPoolExecutor(4) as pool:  # a test mostly waits
        rows = [row for rows in pool.map(lambda name: list(proven([case(name)])), SAMPLE) for row in rows]
    assert [row.case for row in rows] == list(SAMPLE)
    for row in rows:
        assert row.proof.holds, f"{row.case}: {describe(row)}"
        assert all(not run.passed for run in row.proof.before)
        assert all(run.passed for run in row.proof.after)


def test_a_row_says_what_came_of_it() -> None:
    runs = (Attempt(False, 40),) * 3, (Attempt(True, 0),) * 3
    held = Proof(test="x", function="(*Desk).Quote", before=runs[0], after=runs[1])
    assert describe(Row("c", "m", held)) == "`(*Desk).Quote`: 40, 40, 40 before, 0, 0, 0 after"
    assert describe(Row("c", "m", Proof(why_not=Text("proof.none.no-draft")))).startswith("no test: no function")


def test_the_page_counts_its_rows() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^\| ([a-z0-9-]+) \| [a-z-]+ \| (.*?) \| \d+ \| \d+ \|$", text)
    held = sum(not told.startswith("no test") for _, told in rows)
    assert f"{held} of {len(rows)} drafted fixes" in text
    assert set(SAMPLE) <= {name for name, told in rows if not told.startswith("no test")}
