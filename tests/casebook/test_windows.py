"""Windows of a recording: what is given, what is asked of it, what is counted."""

from casebook.runner import company
from casebook.runner.case import case
from casebook.runner.windows import FORMATS, _outcomes, misses, table, windows


def test_a_leak_is_detected_in_its_windows_and_the_healthy_build_is_not_accused() -> None:
    program = case("abandoned-sender-freight")
    found = [one for take in program.takes[:1] for one in _outcomes(program.name, take)]
    whole = {one.formats: one for one in found if one.window == "all"}
    assert set(whole) == set(FORMATS)
    assert whole["everything"].detected
    assert not whole["heap only"].shown
    assert not any(one.accused for one in found)
    assert table(found).count("\n") == 1 + len({(one.window.split()[0], one.formats) for one in found})
    assert all("not detected" in line for line in misses(found))


def test_a_regression_is_read_by_its_places() -> None:
    found = _outcomes("sessions-never-expired", None)
    assert {one.window for one in found} == set(windows(range(6)))  # type: ignore[arg-type]  # only counted
    assert any(one.detected for one in found)
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
