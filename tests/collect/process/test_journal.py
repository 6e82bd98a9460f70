"""journal:UNIT with a journalctl that does what a test says; the real one needs a running journald."""

import os
import sys
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from shlex import quote

import pytest

from oakum.collect.process import journal
from oakum.collect.target import CaptureOptions, Taken
from oakum.collect.web import Access
from oakum.model import UsageError
from oakum.parse import parse
from oakum.report.words.lines import problem_line
from support import unreachable

ENTRY = """__REALTIME_TIMESTAMP=1794823105000000
_PID=12
SYSLOG_IDENTIFIER=containerd
MESSAGE=time="2026-11-16T10:15:00Z" level=info msg="=== BEGIN goroutine stack dump ===\\\\ngoroutine 1 [chan send]:\\\\nmain.main()\\\\n\\\\t/srv/main.go:3 +0x1d\\\\n\\\\n=== END goroutine stack dump ==="

"""


@dataclass
class Journalctl:
    """A program in the path that notes how it is called, and does what it is told."""

    folder: Path

    def does(self, code: str) -> None:
        """Put it there."""
        file, script = self.folder / "journalctl", self.folder / "journalctl.py"
        noted = f"open({str(self.folder / 'asked.txt')!r}, 'w').write('\\n'.join(sys.argv[1:]))"
        script.write_text(f"import sys, time\n{noted}\n{code}\n")
        # Not "#!PYTHON", which may neither be long nor have a blank in it.
        file.write_text(f'#!/bin/sh\nexec {quote(sys.executable)} -IS {quote(str(script))} "$@"\n')
        file.chmod(0o755)

    @property
    def asked(self) -> list[str]:
        """Return the arguments of the last call."""
        return (self.folder / "asked.txt").read_text().split("\n")


@pytest.fixture
def journalctl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Journalctl:
    """Return the first journalctl of the path."""
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return Journalctl(tmp_path)


def taken(word: str, options: CaptureOptions) -> Taken:
    (target,) = journal.open(word, Access())
    (step,) = target.plan(options).steps
    return target.take(step, options)


def test_a_dump_in_the_journal(journalctl: Journalctl) -> None:
    journalctl.does(f"print('''{ENTRY}''')")
    found = taken("journal:containerd?since=1h ago", CaptureOptions())
    assert journalctl.asked == ["--no-pager", "--output=export", "--since=1h ago", "--unit=containerd"]
    assert found.problems == ()
    assert found.capture is not None
    (reading,) = parse(found.capture)
    assert reading.goroutines is not None
    assert reading.goroutines.total == 1


def test_it_goes_as_far_back_as_wished_and_then_on_from_there(journalctl: Journalctl) -> None:
    journalctl.does("print('MESSAGE=x')")
    (target,) = journal.open("journal:kubelet.service", Access())
    options = CaptureOptions(past=timedelta(hours=2))
    (first,) = target.plan(options).steps
    assert target.take(first, options).capture
    (second,) = target.plan(options, snapshot=2).steps
    since = [float(step.key.split("--since=@")[1].split("\0")[0]) for step in (first, second)]
    assert 7199 <= since[1] - since[0] <= 7300
    assert target.name == "kubelet"


@pytest.mark.parametrize(
    ("code", "key", "words"),
    [
        ("time.sleep(60)", "cut", "more than 1.5 s"),
        ("sys.stdout.write('x' * 9000000)", "cut", "cut at 1 MiB"),
        ("print('No journal files were found.', file=sys.stderr)", "journalctl", "No journal files"),
        ("pass", "empty", "systemd-journal"),
    ],
)
def test_faults(journalctl: Journalctl, code: str, key: str, words: str) -> None:
    journalctl.does(code)
    found = taken(
        "journal:containerd", CaptureOptions(seconds=1.5 if key == "cut" and "sleep" in code else 30, most=1 << 20)
    )
    assert [problem for problem in found.problems if problem.key == key and words in problem_line(problem)]


def test_words(monkeypatch: pytest.MonkeyPatch) -> None:
    for word in ("journal:", "journal:-x", "journal:a b", "journal:x?since=$(id)", "journal:x?user=1", "journal:a/b"):
        with pytest.raises(UsageError):
            journal.open(word, Access())
    monkeypatch.setenv("PATH", "")
    with unreachable("no journalctl here"):
        journal.open("journal:containerd", Access())
