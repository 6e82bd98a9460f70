"""Windows of a recording: what is given, what is asked of it, what is counted."""

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
