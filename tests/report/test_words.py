"""Words: every sentence exists in both languages, with the same things in it."""

import re
from pathlib import Path
from string import Formatter

from oakum.model import Text
from oakum.model.vocabulary import HARMLESS
from oakum.report.words import WORDS, mechanisms, say, size, span
from support import ROOT

DESIGN = (
    "abandoned-sender abandoned-receiver double-send unstopped-worker detached-wait lock-cycle double-lock "
    "lock-held-while-waiting waitgroup-never-done lost-signal nil-channel missing-deadline peer-stopped-reading "
    "unclosed-body exhausted-pool unbounded-spawn timer-loop accumulating-registration growing-container "
    "held-by-goroutine unstopped-timer substring-pin finalizer-backlog off-heap"
).split()
# What explain calls the part of a line in a mistake.
ROLES = (
    "made select received never-received never-sent sent sent-twice closed never-closed never-made started never-stopped "
    "stopped never-cancelled locked locked-first locked-again locked-second held unlocked never-unlocked added done "
    "never-done panics signalled never-signalled never-woken waits never-interrupted left no-deadline never-set "
    "never-timed-out acquired never-released registered registered-again never-removed stored key cut spawned bounded-by "
    "armed driver never-unmapped buffered drained"
).split()


def fields(template: str) -> set[str]:
    """Return what a template names; what the catalogue of resting goroutines says in Chinese has names of its own."""
    return {name.removesuffix("_zh") for _, name, _, _ in Formatter().parse(template) if name is not None}


def test_both_languages_say_the_same() -> None:
    wrong = []
    for key, (english, chinese) in sorted(WORDS.items()):
        named, also = fields(english), fields(chinese)
        # Sentences of the catalogue of leaks bring their words in both: {en} and {zh}.
        same = named - {"en"} == also - {"zh"} and ("en" in named) == ("zh" in also)
        if not (english and chinese and same) or re.search(r"[\u4e00-\u9fff]", english):
            wrong.append((key, english, chinese))
    assert wrong == []


def test_every_mechanism_has_a_title_a_reason_and_advice() -> None:
    assert [*mechanisms.GOROUTINES, *mechanisms.MEMORY] == DESIGN
    for name in DESIGN:
        assert {f"mechanism.{name}", f"mechanism.{name}.why", f"mechanism.{name}.do", f"title.{name}"} <= WORDS.keys()
    for name in HARMLESS:
        assert f"mechanism.{name}" in WORDS


def test_every_role_has_words() -> None:
    assert [name for name in ROLES if f"cause.role.{name}" not in WORDS] == []


def test_every_key_that_the_source_names_has_words() -> None:
    """Keys are written whole in the source, so that a missing one is found here and not by a user."""
    named: dict[str, Path] = {}
    for path in (ROOT / "src" / "oakum").rglob("*.py"):
        if "report" not in path.parts:
            named |= dict.fromkeys(re.findall(r'\bText\(\s*"([^"{}]+)"', path.read_text(encoding="utf-8")), path)
    assert {key: path.name for key, path in named.items() if key not in WORDS} == {}


def test_no_area_takes_a_key_of_another() -> None:
    from oakum.report import words

    keys = [key for area in words._AREAS for key in area.WORDS]
    assert len(keys) == len(set(keys))


def test_numbers_read_well() -> None:
    assert say(Text("count.goroutines", {"count": 1})) == "1 goroutine"
    assert say(Text("count.goroutines", {"count": 1103})) == "1,103 goroutines"
    assert say(Text("count.goroutines", {"count": 1103}), "zh") == "1,103 个协程"
    assert say(Text("budget.full_in", {"seconds": 12000.0})) == "limit reached in about 3 h 20 min"
    assert [size(n) for n in (0, 1023, 1024, 41 << 10, 3 << 40, -2048)] == [
        "0 B", "1023 B", "1.0 KiB", "41.0 KiB", "3.0 TiB", "-2.0 KiB",
    ]  # fmt: skip
    assert [span(s) for s in (0, 59.6, 90, 3600, 90000, 86400 * 400)] == [
        "0 s", "1 min", "1 min 30 s", "1 h", "1 d 1 h", "400 d",
    ]  # fmt: skip


def test_what_does_not_fit_is_shown_as_it_is() -> None:
    assert say(Text("of.a.later.version", {"count": 3})) == "of.a.later.version (count=3)"
    assert say(Text("count.goroutines", {})) == "count.goroutines"
    assert say(Text("count.goroutines", {"count": "many"})) == "count.goroutines (count=many)"
    stored = Text(
        "goroutines.idle-by-design", {"what": "A reader", "relation": "one each", "entry": "x"}
    )  # without Chinese
    assert say(stored, "zh") == "Waits here by design: A reader (one each)."
    # What comes from evidence is never taken for a template.
    assert say(Text("title.off-heap", {"function": "{0.__class__}"})).endswith("{0.__class__}")
