"""docs/accuracy.md counts what was said, by mechanism; made-up scores of cases that there are."""

from dataclasses import replace

from casebook.runner.accuracy import NAIVE, WITH_SOURCE, Result
from casebook.runner.accuracy_page import date_of, mechanisms, page
from casebook.runner.score import Explanation, Score

_RIGHT = Score(True, "leaking", found=True, detected=True, first=True, mechanism=True)
_SAID = (Explanation("x", said=True),)


def _results() -> list[Result]:
    take, fixed = "leaking-go1.27-trimpath", "fixed-go1.27-trimpath"
    return [
        Result("double-send-payouts", take, "two snapshots", _RIGHT),
        Result("double-send-payouts", "leaking-go1.19-modcache", "two snapshots", replace(_RIGHT, mechanism=False)),
        Result("double-send-payouts", take, WITH_SOURCE, replace(_RIGHT, explanations=_SAID)),
        Result("double-send-payouts", take, NAIVE, Score(True, "healthy")),
        Result("nil-channel-and-growing-container-manifestd", take, "two snapshots", Score(True, "leaking")),
        Result("nil-channel-gatelog", fixed, "two snapshots", Score(False, "leaking", wrong=("x",))),
        Result("healthy-feed-mergers", "healthy-go1.27-trimpath", "two snapshots", Score(False, "healthy")),
    ]


def _rows(text: str, title: str) -> list[list[str]]:
    part = text.partition(f"## {title}\n")[2].partition("\n## ")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("|")]


def test_what_a_take_is_about() -> None:
    assert mechanisms("double-send-payouts", "leaking-go1.27-trimpath") == ("double-send",)
    assert mechanisms("nil-channel-gatelog", "fixed-go1.27-trimpath") == ("nil-channel",), "what was mended"
    assert mechanisms("healthy-feed-mergers", "healthy-go1.27-trimpath") == ("nil-channel",), "what it looks like"


def test_each_mechanism_has_its_row_and_several_together_have_one() -> None:
    text = page(_results(), "2026-01-02")
    assert date_of(text) == "2026-01-02"
    link = "[double-send](mechanisms/double-send.md)"
    both = "[nil-channel](mechanisms/nil-channel.md) + [growing-container](mechanisms/growing-container.md)"
    found = _rows(text, "Place found, by mechanism")
    assert found[0] == ["mechanism", WITH_SOURCE, "two snapshots"]
    assert found[2:] == [[link, "1 of 1", "2 of 2"], [both, "-", "0 of 1"]]
    assert _rows(text, "Mechanism right, by mechanism")[2] == [link, "1 of 1", "1 of 2"]
    assert _rows(text, "Cause named in the source, by mechanism")[2:] == [[link, "1", "0", "1", "1", "0"]]


def test_accusations_and_misses_are_told() -> None:
    text = page(_results(), "2026-01-02")
    cleared = _rows(text, "Healthy programs cleared, by what they look like")
    assert cleared[2:] == [["[nil-channel](mechanisms/nil-channel.md)", "1 of 2, 1 accused"]]
    missed = _rows(text, "Every miss")[2:]
    assert ["double-send-payouts", "two snapshots", "wrong mechanism", "leaking-go1.19-modcache"] in missed
    assert ["nil-channel-gatelog", "two snapshots", "accused: x", "fixed-go1.27-trimpath"] in missed
    assert not [row for row in missed if row[1] == NAIVE], "the naive rule is there to be compared with"
