"""oakum goroutines: where they stand, for every format, filtered, sorted and counted."""

import json
from pathlib import Path

import pytest

from support import DEMO, oakum

QUOTE = "main.(*desk).quote.func1"


def groups(*arguments: str | Path) -> list[dict[str, object]]:
    answer = oakum("goroutines", "--json", *arguments)
    assert answer.code == 0, answer.err
    found: list[dict[str, object]] = json.loads(answer.out)["groups"]
    return found


@pytest.mark.parametrize("name", ["after.goroutine.txt.gz", "after.goroutine.pb.gz"])
def test_the_leak_is_the_largest_group_in_every_format(name: str) -> None:
    first = groups(DEMO / name)[0]
    assert first["count"] == 500
    assert first["state"] == "chan send"
    assert str(first["place"]).startswith(QUOTE)


def test_one_line_a_group_for_grep() -> None:
    answer = oakum("goroutines", DEMO / "after.goroutine.txt.gz", "--by", "function,state", "--uniq", "-n", "1")
    assert answer.out.split() == ["500", QUOTE, "chan", "send"]


def test_filters() -> None:
    dump = DEMO / "after.goroutine.txt.gz"
    assert {g["state"] for g in groups(dump, "--state", "^chan receive$")} == {"chan receive"}
    assert all(str(g["place"]).startswith("main.worker") for g in groups(dump, "--place", "main.worker"))
    assert sum(int(str(g["count"])) for g in groups(dump, "--created-by", r"main\.main ", "--place", "worker")) == 8
    assert not groups(dump, "--focus", "no such frame")
    aged = groups(dump, "--older", "1m", "--place", "quote.func1")
    assert [g["count"] for g in aged] == [260], "the sends of the first 130 requests have waited for a minute"
    assert not any(QUOTE in str(g["place"]) for g in groups(dump, "--ignore", "quote.func1"))


def test_ages_and_ids() -> None:
    worker = groups(DEMO / "after.goroutine.txt.gz", "--place", "worker")[0]
    assert worker["minutes"] == {"shortest": 1, "median": 1, "longest": 1, "known": 8}
    assert isinstance(worker["ids"], list)
    assert len(worker["ids"]) == 8


def test_stacks_of_one_group() -> None:
    answer = oakum("goroutines", DEMO / "after.goroutine.txt.gz", "--place", "quote.func1", "--stacks")
    assert "main.(*supplier).ask" not in answer.out, "it has answered; it waits in the send"
    assert f"{QUOTE} example.com/quotes/main.go:44" in answer.out


def test_a_profile_of_another_kind_is_refused() -> None:
    answer = oakum("goroutines", DEMO / "after.heap.pb.gz")
    assert answer.code == 4
    assert "heap profile" in answer.err


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--by", "colour"], "--by colour"),
        (["--sort", "colour"], "--sort colour"),
        (["--state", "("], "not a regular expression"),
        (["--older", "soon"], "not a duration"),
        (["--dump", "7"], "--dump 7"),
        (["--no-such-flag"], "--no-such-flag"),
    ],
)
def test_wrong_flags_are_usage_errors(flags: list[str], words: str) -> None:
    answer = oakum("goroutines", DEMO / "after.goroutine.txt.gz", *flags)
    assert answer.code == 2
    assert words in answer.err


def test_protobuf_of_what_is_shown(tmp_path: Path) -> None:
    written = tmp_path / "leak.pb.gz"
    oakum("goroutines", DEMO / "after.goroutine.txt.gz", "--state", "chan send", "--proto", written)
    again = groups(written)
    assert [(g["count"], g["state"]) for g in again] == [(500, "chan send")]
