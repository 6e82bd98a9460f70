"""Words of running targets -> a bundle of what was taken of them, and the words that name it. Files pass through.

As pprof keeps what it fetched, the bundle stays: in $PPROF_TMPDIR, else ~/pprof; what was seen can be looked at again.
"""

import gc
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oakum.cli.screen import Progress, remark
from oakum.collect.targets import KINDS, is_live
from oakum.model.errors import OakumError, UsageError
from oakum.model.sizes import size
from oakum.model.text import Text
from oakum.regex import regex

if TYPE_CHECKING:
    from oakum.collect.scheduler import CaptureOutcome, CaptureScheduler, Open
    from oakum.collect.target import CaptureOptions, LeftOut, Plan, Step, Taken, Target
    from oakum.collect.web.access import Access

# localhost:6060   10.0.0.7:6060/debug/pprof/heap   [::1]:6060     as pprof's users write it
_HOST_PORT = regex(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9][\w.-]*):\d{1,5}(?:[/?].*)?")
_SCHEME = regex(r"[A-Za-z][A-Za-z0-9+.-]*://")
_LONG = 2.0  # seconds that a target may take before it is named
_TOLD_MOST = 8  # problems of one call that are told; a bundle's manifest has all


def is_stored(word: str) -> bool:
    """Tell whether a word names a snapshot of a store: store:orders@2026-11-16T10:15. A host may be called store."""
    return word.startswith("store:") and not _HOST_PORT.fullmatch(word) and not Path(word).exists()


def normalize_target(word: str) -> str:
    """Return a word as targets know it: localhost:6060 is a server; raise for a scheme that nothing is known of."""
    if not word.strip():
        raise UsageError("a target is empty; is a shell variable unset?")
    if is_live(word) or word == "-" or Path(word).exists():
        return word
    if _HOST_PORT.fullmatch(word):
        return f"http://{word}"
    if scheme := _SCHEME.match(word):
        lower = scheme[0].lower() + word[scheme.end() :]  # HTTP://HOST, as forms and chats write it
        if is_live(lower):
            return lower
        kinds = [prefix for prefix, _ in KINDS]
        near = get_close_matches(scheme[0], kinds, 1)
        raise UsageError(
            f"{bare(word)}: unknown kind of target"
            + (f"; did you mean {near[0]}?" if near else f"; use {', '.join(kinds)}, a file or a directory")
        )
    return word


def target_openers(words: Iterable[str], access: "Access") -> "list[tuple[str, Open]]":
    """Return each word with what opens it, as a run over targets takes them; credentials are not in the word's name."""
    from oakum.collect.targets import open_targets

    def opener(word: str) -> "Callable[[], Sequence[Target]]":
        return lambda: open_targets((word,), access)

    words = tuple(dict.fromkeys(words))
    opened: list[tuple[str, Open]] = [(bare(word), opener(word)) for word in words if is_live(word)]
    if files := [word for word in words if not is_live(word)]:
        from oakum.collect.bundle.given import given

        opened.append((", ".join(files), lambda: given(files)))  # those named alone are of one process
    return opened


def bare(word: str) -> str:
    """Return a word without user and password."""
    return re.sub(r"(?<=://)[^/?#]*@", "", word)


def progress_reporter(progress: Progress) -> "Callable[[CaptureScheduler], None]":
    """Return what shows on one line how far a run is."""

    def show(run: "CaptureScheduler") -> None:
        results, most = run.results, run.schedule.snapshots
        at = max((result.snapshots[-1] for result in results if result.snapshots), default=0)
        pause, (name, seconds) = run.next_in, run.slowest
        parts: list[Text | str] = []
        if pause is not None and at:
            parts.append(Text("progress.next", {"seconds": pause}))
        elif seconds > _LONG:
            parts.append(Text("progress.slow", {"seconds": seconds, "name": name}))
        if len(results) > 1:
            done = sum(bool(result.snapshots) for result in results)
            parts.append(Text("progress.targets", {"count": done, "total": len(results)}))
        if most > 1:
            key = "progress.snapshot-most" if run.schedule.until_growth else "progress.snapshot"
            parts.append(Text(key, {"number": max(1, at), "total": most}))
        parts.append(size(sum(result.size for result in results)))
        if pause is not None and shutil.get_terminal_size().columns > 100:
            parts.append(Text("progress.interrupt"))
        progress.at(*parts)

    return show


def capture_directory() -> Path:
    """Return where what was fetched is kept, as pprof does: $PPROF_TMPDIR, ~/pprof, else the temporary directory."""
    tried = [os.environ.get("PPROF_TMPDIR", ""), str(Path.home() / "pprof") if os.environ.get("HOME") else ""]
    for place in [*filter(None, tried), tempfile.gettempdir()]:
        path = Path(place)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(path, os.W_OK):
            return path
    raise OakumError("no writable directory for captures; set PPROF_TMPDIR")


def unused_path(place: Path) -> Path:
    """Return the place, or one beside it: two calls may come in one second."""
    names = (place.with_name(f"{place.name}-{number}") for number in range(2, 1000))
    return next(name for name in (place, *names) if not name.exists())


def bundle_name(words: Sequence[str]) -> str:
    """Return the name of a new bundle: oakum-orders-20261116T101500Z."""
    from oakum.collect.bundle.names import safe_name

    first = bare(words[0]).rstrip("/")
    # http://10.0.0.7:6060/x   kube://pod/shop/orders-7d9f   pid:812   captures/
    server = re.match(r"(?:\w+\+)?https?(?:\+insecure)?://([^/?#]+)", first)
    name = server[1] if server else first.rpartition("/")[2]
    if len(words) > 1:
        name = f"{len(words)}-targets"
    return f"oakum-{safe_name(name)}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"


def capture_live(
    words: Sequence[str],
    given: Mapping[str, Any],
    *,
    beside: Sequence[str] = (),
    snapshots: int = 1,
    every: float = 10.0,
    only: tuple[str, ...] = (),
    together: bool = False,
    lang: str = "en",
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return words (and those beside them, as --baseline) in which what runs was captured and is named by its files.

    `given` are the options of access_options; `only`: how the one file begins that a view shows, best first.
    `together`: all that runs becomes one word, the bundle, where no base is among it. `lang`: of progress and remarks.
    """
    if any(map(is_stored, (*words, *beside))):
        from oakum.cli.stored import laid_out

        words, beside = (laid_out(group, given, only, together, lang) for group in (words, beside))
    words, beside = tuple(map(normalize_target, words)), tuple(map(normalize_target, beside))
    live = [word for word in (*words, *beside) if is_live(word)]
    if not live:
        return words, beside
    from oakum.cli.access_options import access, capture_options
    from oakum.collect.bundle.write import Bundle
    from oakum.collect.capture_run import snapshot_limit
    from oakum.collect.scheduler import CaptureScheduler, Schedule
    from oakum.collect.web import vault
    from oakum.report.words.lines import worded

    entered, asked = access(given), capture_options(given)
    place = unused_path(capture_directory() / bundle_name(live))
    opened = target_openers(live, entered)
    if only:
        opened = [(word, _restrict(open_, only)) for word, open_ in opened]
    bundle = Bundle(place, secrets=vault.known, worded=worded)
    progress = Progress("capturing", lang)
    gc.enable()  # a series may take hours
    try:
        schedule = Schedule(snapshots, every, limit=snapshot_limit(asked.seconds))
        run = CaptureScheduler(opened, asked, schedule, bundle, progress_reporter(progress))
        outcome = run.run()
    except UsageError:
        remove_empty_bundle(place)
        raise
    finally:
        progress.done()
    bundle.close()
    found = _places(place, outcome)
    if not found:
        remove_empty_bundle(place)
    if outcome.interrupted and not (together and found):
        raise KeyboardInterrupt
    for group in (words, beside):
        asked_of = [bare(word) for word in group if is_live(word)]
        missing = [word for word in asked_of if word not in found]
        # Without what was named, a view or a base would show something else; of several processes one may be missing.
        if missing and (not together or group is beside or len(missing) == len(asked_of)):
            raise nothing_captured(outcome, lang)
    _print_notes(place, outcome, lang)
    whole = together and not any(is_live(word) for word in beside)
    return _replaced(words, found, place if whole else None), _replaced(beside, found, None)


def _restrict(open_: "Open", files: tuple[str, ...]) -> "Open":
    return lambda: [_Part(target, files) for target in open_()]


class _Part:
    """A target of which only one kind of profile is taken: a view shows no more."""

    def __init__(self, target: "Target", files: tuple[str, ...]) -> None:
        self._target, self._files = target, files
        self.address, self.name, self.process = target.address, target.name, target.process

    def plan(self, options: "CaptureOptions", snapshot: int = 1, last: bool = True) -> "Plan":
        from msgspec.structs import replace

        plan = self._target.plan(options, snapshot, last)
        for name in self._files:
            if steps := tuple(step for step in plan.steps if step.file.rpartition("/")[2].startswith(name)):
                return replace(plan, steps=steps, left_out=self._missed(plan), advice=())
        return plan

    def _missed(self, plan: "Plan") -> "tuple[LeftOut, ...]":
        """Return what the view would rather have shown; it has no --force of its own."""
        from msgspec.structs import replace

        how = Text("plan.force-capture", {"command": f"oakum capture --force {shlex.quote(self.address)}"})
        named = [left for left in plan.left_out if isinstance(left.what, str)]
        return tuple(replace(left, how=how) for left in named if str(left.what).startswith(self._files[:1]))

    def take(self, step: "Step", options: "CaptureOptions") -> "Taken":
        return self._target.take(step, options)

    def close(self) -> None:
        self._target.close()


def _places(place: Path, outcome: "CaptureOutcome") -> dict[str, list[str]]:
    """Return for each word what its targets became: a file that is alone, else their folders."""
    found: dict[str, list[str]] = {}
    for result in outcome.results:
        if len(result.paths) == 1:
            found.setdefault(result.word, []).append(str(place / result.paths[0]))
        elif result.paths:
            found.setdefault(result.word, []).append(str(place / result.paths[0].partition("/")[0]))
    return found


def _replaced(words: Sequence[str], found: Mapping[str, Sequence[str]], whole: Path | None) -> tuple[str, ...]:
    made: list[str] = []
    for word in words:
        places = [word] if not is_live(word) else [str(whole)] if whole else found.get(bare(word), [])
        made += [one for one in places if one not in made]
    return tuple(made)


def _print_notes(place: Path, outcome: "CaptureOutcome", lang: str) -> None:
    """Say what is missing, and where the rest is."""
    from oakum.collect.web.vault import hidden
    from oakum.report.words import word

    problems = problem_texts(outcome, lang) + _left_out(outcome, lang)
    for text in problems[:_TOLD_MOST]:
        remark(hidden(text))
    if len(problems) > _TOLD_MOST:
        remark(word("kept.more", lang, count=len(problems) - _TOLD_MOST, place=str(place)))
    (first, *more) = [result for result in outcome.results if result.paths]
    if len(first.paths) == 1 and not more:
        remark(word("kept.one", lang, asked=first.plan.steps[0].ask, place=str(place / first.paths[0])))
    else:
        remark(word("kept.interrupted" if outcome.interrupted else "kept.at", lang, place=str(place)))


def problem_texts(outcome: "CaptureOutcome", lang: str = "en") -> list[str]:
    """Return every problem of every target, each with the target that it is about."""
    from oakum.report.words.lines import problem_line

    told = [(result, problem_line(problem, lang)) for result in outcome.results for problem in result.problems]
    named = [
        text if result.address in text or result.word in text else f"{result.name}: {text}" for result, text in told
    ]
    return list(dict.fromkeys(named))


def _left_out(outcome: "CaptureOutcome", lang: str) -> list[str]:
    """Return what was not taken, though it would be if it were asked for."""
    from oakum.report.words import say

    return [
        say(Text("plan.left-out", {"name": result.name, "what": left.what, "why": left.why, "how": left.how}), lang)
        for result in outcome.results
        for left in result.plan.left_out
        if left.how
    ]


def nothing_captured(outcome: "CaptureOutcome", lang: str = "en") -> OakumError:
    """Return the error that tells why nothing came of any target, and what would help."""
    from oakum.cli.capture_page import advice
    from oakum.collect.web.vault import hidden
    from oakum.report.words import word

    told, helps = problem_texts(outcome, lang), advice(outcome.results, lang)
    if len(told) > 1:
        more = [word("kept.others", lang, count=len(told) - _TOLD_MOST)] if len(told) > _TOLD_MOST else []
        told = [word("kept.nothing", lang), *(f"  {text}" for text in [*told[:_TOLD_MOST], *more])]
    if helps:
        told += [word("kept.helps", lang), *helps[:2]]
    return OakumError(hidden("\n".join(told)) or word("kept.nothing", lang))


def remove_empty_bundle(place: Path) -> None:
    if not place.is_dir():
        place.unlink(missing_ok=True)
        return
    for name in ("manifest.json", "SHA256SUMS"):
        (place / name).unlink(missing_ok=True)
    with suppress(OSError):  # something of another's is in it
        place.rmdir()
