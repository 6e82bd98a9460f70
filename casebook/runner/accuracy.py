"""`accuracy`: the diagnosis over everything recorded, in every setting -> a table; its summary in the readmes.

A take that got no answer is counted as such and never as a healthy one cleared. Beside the diagnosis stands the naive
rule, so that a reader sees what the casebook asks.
"""

import contextlib
import io
import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

from casebook.runner.case import BadCase, Case, Take, case
from casebook.runner.naive import accuse
from casebook.runner.score import Diagnosis, Score, score
from casebook.runner.settings import SETTINGS, Trial, trial
from casebook.runner.tools import ROOT, processes
from oakum.model import Capture, Reading
from oakum.parse import parse

WITH_SOURCE = "all snapshots, with source"
NAIVE = "naive rule, two snapshots"
COMMAND = "make accuracy"
READMES = {"en": ROOT / "README.md", "zh": ROOT / "README.zh-CN.md"}
_BLOCK = re.compile(r"(<!-- accuracy: .*?-->\n).*?(<!-- /accuracy -->)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Result:
    """One take in one setting."""

    case: str
    take: str
    setting: str
    score: Score


def diagnose(arguments: Sequence[str]) -> Diagnosis | None:
    """Return what `oakum diagnose --json` says, or None when it says nothing that can be read.

    Without `--source` it reads none: what the module cache of this machine holds was not given.
    """
    from oakum.cli import COMMANDS, run

    if "diagnose" not in dict(COMMANDS):
        return None
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    silent = contextlib.redirect_stderr(io.TextIOWrapper(io.BytesIO()))
    with contextlib.redirect_stdout(out), silent:
        run(["diagnose", "--json", "--no-compile" if "--source" in arguments else "--no-source", *arguments])
    try:
        answer = json.loads(out.buffer.getvalue())
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def naive(trial: Trial) -> Diagnosis:
    """Return what the naive rule says of the first and last snapshots; of several processes, of all."""
    findings = []
    for process in trial.recorded.processes:
        snapshots = trial.recorded.of(process)
        findings += accuse(snapshots[0], snapshots[-1])["findings"]
    return {"verdict": "leaking" if findings else "healthy", "findings": findings}


@contextlib.contextmanager
def parsed_once() -> Iterator[None]:
    """Parse the same bytes once while this lasts: settings give the same captures over and over."""
    known: dict[str, tuple[Reading, ...]] = {}

    def once(capture: Capture) -> tuple[Reading, ...]:
        if capture.digest not in known:
            known[capture.digest] = parse(capture)
        return known[capture.digest]

    with patch("oakum.pipeline.case.parse", once):
        yield


def _take(name: str, take: Take, settings: Sequence[str]) -> list[Result]:
    """Return the results of one take in every setting that it has."""
    with parsed_once():
        return _results(name, take, settings)


def _results(name: str, take: Take, settings: Sequence[str]) -> list[Result]:
    results = []
    for setting in settings:
        with tempfile.TemporaryDirectory() as scratch:
            tried = trial(case(name), take, Path(scratch))
            if setting == NAIVE:
                results.append(Result(name, take.name, setting, score(naive(tried), tried.truth)))
            elif given := SETTINGS[setting](tried):
                results.append(Result(name, take.name, setting, score(diagnose(given.arguments), given.truth)))
    return results


def accuracy(cases: Iterable[Case], settings: Sequence[str] = ()) -> list[Result]:
    """Return the results of every take of these cases, two takes at a time."""
    wanted = [*settings] or [*SETTINGS, NAIVE]
    work = [(one.name, take, wanted) for one in cases for take in one.takes]
    with processes() as pool:
        return [result for results in pool.map(_take, *zip(*work, strict=True), chunksize=4) for result in results]


_WORDS: Mapping[str, Mapping[str, str]] = {
    "zh": {
        "all snapshots": "全部快照",
        "all snapshots, with source": "全部快照 + 源码",
        "all snapshots, with goroutineleak": "全部快照 + goroutineleak",
        "all snapshots, protobuf only": "全部快照，仅 protobuf",
        "all snapshots of one process of several": "多进程中一个进程的全部快照",
        "two snapshots": "两次快照",
        "one snapshot and a baseline": "一次快照 + 基线（健康副本）",
        "one goroutine dump": "一份 goroutine dump",
        "one heap profile": "一份 heap profile",
        NAIVE: "朴素规则，两次快照",
        "evidence given": "输入的证据",
        "leaks detected": "确认泄漏",
        "leaks located": "定位泄漏",
        "mechanism right": "机制正确",
        "known bug named": "识别已知缺陷",
        "healthy accused": "健康程序误报",
    }
}
_SUMMARY = (
    "evidence given",
    "leaks detected",
    "leaks located",
    "mechanism right",
    "known bug named",
    "healthy accused",
)
_COLUMNS = (
    "evidence given", "leaking", "detected", "place found", "ranked first", "mechanism right", "known bug named",
    "wrong bug named", "healthy", "cleared", "accused", "wrong accusations", "undecided", "no answer",
)  # fmt: skip


def _row(setting: str, scores: Sequence[Score]) -> list[str]:
    leaking = [one for one in scores if one.leaking]
    healthy = [one for one in scores if not one.leaking]
    known = [one for one in leaking if one.known is not None]
    numbers = (
        len(leaking), sum(s.detected for s in leaking), sum(s.found for s in leaking), sum(s.first for s in leaking),
        sum(s.mechanism for s in leaking),
        f"{sum(bool(s.known) for s in known)} of {len(known)}", sum(len(s.misnamed) for s in scores), len(healthy),
        sum(s.verdict == "healthy" and not s.wrong for s in healthy), sum(s.accused for s in healthy),
        sum(len(s.wrong) for s in scores), sum(s.verdict == "undecided" for s in scores),
        sum(not s.answered for s in scores),
    )  # fmt: skip
    return [setting, *map(str, numbers)]


def _by_setting(results: Sequence[Result]) -> dict[str, list[Score]]:
    return {
        name: scores
        for name in (*SETTINGS, NAIVE)
        if (scores := [result.score for result in results if result.setting == name])
    }


def markdown_table(rows: Sequence[Sequence[str]], words: int = 1) -> str:
    """Return rows as a Markdown table: the first is the head; so many columns of words, then numbers to the right."""
    head, *body = rows
    rule = [*["---"] * words, *["--:"] * (len(head) - words)]
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *body))


def table(results: Sequence[Result]) -> str:
    """Return the results as a Markdown table, one row for each setting."""
    return markdown_table([_COLUMNS, *(_row(name, scores) for name, scores in _by_setting(results).items())])


def summary(results: Sequence[Result], language: str = "en") -> str:
    """Return the columns that matter to a new reader, for the readmes."""
    words = _WORDS.get(language, {})
    of = "/" if language == "zh" else " of "
    rows = [[words.get(name, name) for name in _SUMMARY]]
    for setting, scores in _by_setting(results).items():
        leaking = [one for one in scores if one.leaking]
        healthy = [one for one in scores if not one.leaking]
        known = [one for one in leaking if one.known is not None]
        counted = (
            (sum(one.detected for one in leaking), leaking), (sum(one.found for one in leaking), leaking),
            (sum(one.mechanism for one in leaking), leaking),
            (sum(bool(one.known) for one in known), known), (sum(one.accused for one in healthy), healthy),
        )  # fmt: skip
        rows.append([words.get(setting, setting), *(f"{right}{of}{len(all_)}" for right, all_ in counted)])
    return markdown_table(rows)


_CAUSES = (
    "evidence given",
    "leaking",
    "mechanism right",
    "cause named",
    "every line named",
    "wrong cause",
    "no cause told",
)


def causes_table(results: Sequence[Result]) -> str:
    """Return how the leaking takes were explained from their source as a Markdown table, one row for each setting."""
    by_setting: dict[str, list[Score]] = {}
    for result in results:
        if result.score.explanations:
            by_setting.setdefault(result.setting, []).append(result.score)
    rows = [[*_CAUSES]]
    for setting, scores in by_setting.items():
        numbers = (
            len(scores), sum(s.mechanism for s in scores), sum(all(e.named for e in s.explanations) for s in scores),
            sum(all(e.complete for e in s.explanations) for s in scores),
            sum(any(e.wrong for e in s.explanations) for s in scores),
            sum(any(not e.said for e in s.explanations) for s in scores),
        )  # fmt: skip
        rows.append([setting, *map(str, numbers)])
    return markdown_table(rows)


def misses(results: Sequence[Result]) -> Iterator[str]:
    """Yield a line about every take that was not answered as it should be."""
    for result in results:
        said = result.score
        told = [
            text
            for text, wrong in (
                ("no answer", not said.answered),
                ("place not found", said.answered and said.leaking and not said.found),
                ("only possible", said.found and not said.detected),
                ("not ranked first", said.found and not said.first),
                ("wrong mechanism", said.found and not said.mechanism),
                ("known bug not named", said.answered and said.known is False),
                (f"not this bug: {', '.join(said.misnamed)}", bool(said.misnamed)),
                (f"accused: {', '.join(said.wrong)}", bool(said.wrong)),
                ("called leaking", said.accused and not said.wrong),
            )
            if wrong
        ]
        if told:
            yield f"{result.setting}: {result.case}/{result.take}: {'; '.join(told)}"


def write_readmes(results: Sequence[Result]) -> None:
    """Write the summary into the readmes, with today's date and the command."""
    for language, path in READMES.items():
        path.write_text(with_table(path.read_text(encoding="utf-8"), results, language), encoding="utf-8")


def with_table(text: str, results: Sequence[Result], language: str, date: str = "") -> str:
    """Return a readme with the summary in its place; the date is today's where none is given."""
    date = date or datetime.now(UTC).date().isoformat()
    takes = len({(result.case, result.take) for result in results})
    cases = len({result.case for result in results})
    if language == "zh":
        measured = f"{cases} 个案例、{takes} 次录制，{date} 由 `{COMMAND}` 测得。"
    else:
        measured = f"{cases} cases in {takes} recorded takes, measured on {date} by `{COMMAND}`."
    if not _BLOCK.search(text):
        raise BadCase("a readme has no place for the table: <!-- accuracy: ... --> and <!-- /accuracy -->")
    body = f"{measured}\n\n{summary(results, language)}\n"
    return _BLOCK.sub(lambda found: found[1] + body + found[2], text)


__all__ = [
    "COMMAND",
    "NAIVE",
    "READMES",
    "WITH_SOURCE",
    "Result",
    "accuracy",
    "causes_table",
    "markdown_table",
    "misses",
    "summary",
    "table",
    "with_table",
    "write_readmes",
]
