"""What the terminal can show: any environment gives a width or none, and no name drives it."""

import pytest

from oakum.cli.screen import safe, width


@pytest.mark.parametrize(
    ("columns", "wide"),
    [("80", 80), ("", None), ("0", None), ("-5", None), ("²", None), ("9" * 5000, None), ("a", None)],
    ids=["usual", "empty", "zero", "negative", "superscript", "endless", "word"],
)
def test_columns_of_a_pipe(columns: str, wide: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert width() == wide


def test_what_cannot_be_seen_is_shown() -> None:
    assert safe("a\x1b[2J\tb\n") == "a\\x1b[2J\tb\\n"
    assert safe("x\u202ey\u200bz\ufeff") == "x\\u202ey\\u200bz\\ufeff"
    assert safe("日志 goroutine é") == "日志 goroutine é"
