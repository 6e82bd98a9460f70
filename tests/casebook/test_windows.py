"""Windows of a recording: what is given, what is asked of it, what is counted."""

from casebook.runner import company
from casebook.runner.case import case
from casebook.runner.windows import BUSY, FORMATS, QUIET, SOURCE, WITHOUT, Outcome, _outcomes, by_load, load, windows
from casebook.runner.windows_page import misses, origins_table, page, table, waits_table, weakened


def test_a_leak_is_detected_in_its_windows_and_the_healthy_build_is_not_accused() -> None:
    program = case("abandoned-sender-freight")
    found = [one for take in program.takes[:1] for one in _outcomes(program.name, take)]
    whole = {one.formats: one for one in found if one.window == "all"}
    assert set(whole) == {*FORMATS, *WITHOUT, SOURCE}
    assert whole["everything"].detected
    assert not whole["heap only"].shown
    assert not any(one.accused for one in found)
    assert {one.wait for one in found} == {"send, lock, WaitGroup"}
    assert table(found).count("\n") == 1 + len({(one.window.partition(" ")[0], one.formats) for one in found})
    assert all("not detected" in line for line in misses(found))


def test_a_regression_is_read_by_its_places() -> None:
    found = _outcomes("sessions-never-expired", None)
    assert {one.window for one in found} - {BUSY, QUIET} == set(windows(range(6)))  # type: ignore[arg-type]  # only counted
    assert {one.wait for one in found} == {"heap"}
    assert any(one.detected for one in found)
    assert [one.detected for one in found if one.formats == SOURCE] == [True]
    assert all(one.shown is False for one in found if one.formats == "debug=2 only")


def test_a_leak_is_detected_in_company_and_nobody_else_is_accused() -> None:
    """A recording and a healthy one as one process: ids run side by side, heaps are added."""
    work = [("lots-that-bidders-left", None), ("pool-scaled-in-steps", None)]
    ((leaking, healthy),) = company.drawn(work)
    both = company.together(leaking, healthy)
    last = [shot.files[0][2][0].goroutines for of in (leaking, healthy, both) for shot in of.shots[-1:]]
    assert last[2] is not None
    assert last[2].total == sum(one.total for one in last[:2] if one is not None)
    ids = [one for group in last[2].groups for one in group.ids.tolist()]
    assert len(ids) == len(set(ids))
    found = list(company.outcomes([(leaking, healthy)]))
    assert {one.formats for one in found} == set(company.FORMATS)
    assert found[0].together.detected
    assert not any(one.accused for one in found)
    assert company.table(found).count("\n") == 1 + len(company.FORMATS)


def test_windows_end_under_load_or_in_a_quiet_step() -> None:
    """The freight office is busy in the morning and at noon, and rests in the evening."""
    recorded = load("abandoned-sender-freight", case("abandoned-sender-freight").takes[0])
    assert recorded is not None
    assert {name: len(shots) for name, shots in by_load(recorded.shots).items()} == {BUSY: 3, QUIET: 4}


def _told(window: str, formats: str, *, detected: bool, name: str = "a/leaking") -> Outcome:
    return Outcome(name, window, formats, True, True, "leaking", detected, detected, detected, (), "chan receive")


def test_less_that_is_detected_and_more_that_is_not_is_told() -> None:
    found = [
        _told("all", "everything", detected=False),
        _told("all", "protobuf only", detected=True),
        _told("triple 1", "everything", detected=True),
        _told("triple 2", "everything", detected=True),
        _told("one", "everything", detected=False),
        _told("all", "everything", detected=True, name="b"),
        _told("all", "protobuf only", detected=True, name="b"),
        _told("all", "everything without metrics", detected=False, name="b"),
    ]
    assert [(one.window, more.formats) for one, more in weakened(found)] == [
        ("all", "everything"),
        ("triple 1", "everything"),
        ("triple 2", "everything"),
    ]
    text = page(found, "", 0, date="2026-01-01")
    assert "| all, protobuf only | 2 | all, everything | 1 |" in text
    assert "- `a/leaking`: detected with triple, everything (2 times); not with all, everything" in text
    assert "| chan receive | 2 | 1 of 2 | - | 2 of 2 | 2 of 2 | - | - | 5 of 8 |" in waits_table(found)
    assert "| metrics | 1 of 1 | 0 of 1 | - | - |" in text
    assert "| all | everything | 0 of 1 | 1 of 1 | - | - |" in origins_table(found)
