"""Our views beside the real `go tool pprof`: the same flags on the same files must print the same text.

Values are printed in the profile's own unit, so that equal text means equal to the last unit. What pprof itself leaves
to chance is put in order first: edges of weight w and -w, and files that appear once for each of their functions.
"""

import io
import re
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest

from oakum.cli import run
from oakum.model import Capture, Profile
from oakum.parse import parse
from support import RECORDED, SHARED, Answer, need_shared
from toolchain import environment, need_go

pytestmark = pytest.mark.peer

UNTRIMMED = ("-nodecount=0", "-nodefraction=0", "-edgefraction=0")
GRANULARITIES = (
    ("-lines",), ("-filefunctions",), ("-files",), ("-addresses",), ("-noinlines",), ("-addresses", "-noinlines"),
)  # fmt: skip
FLAGS = (
    ("-cum",), ("-nodecount=5",), ("-nodecount=7", "-cum"), ("-nodefraction=0.05",), ("-edgefraction=0.1",),
    ("-trim=false",), ("-unit=auto",), ("-unit=kb",), ("-unit=seconds",), ("-mean",), ("-divide_by=3",),
    ("-compact_labels",), ("-sample_index=0",), ("-relative_percentages", "-focus=runtime"), ("-drop_negative",),
)  # fmt: skip
FILTERS = (
    ("-focus=runtime",), ("-ignore=runtime",), ("-hide=runtime",), ("-show=runtime|main",), ("-hide=.",),
    ("-show_from=main|net|http",), ("-prune_from=main|net|http",), ("-focus=main", "-ignore=(?i)GOPARK"),
    ("-focus=\\.go$", "-hide=^runtime\\.", "-cum"), ("-focus=matches no name",), ("-tagfocus=bytes=16b:1kb",),
    ("-tagfocus=1kb:",), ("-tagignore=:1kb",), ("-tagfocus=.",), ("-tagshow=bytes",), ("-taghide=b",),
    ("-tagroot=bytes",), ("-tagleaf=bytes,key", "-lines"), ("-source_path=/usr/local/go/src", "-lines"),
)  # fmt: skip
COMPARISONS = (
    ("-base",), ("-diff_base",), ("-base", "-normalize"), ("-diff_base", "-normalize", "-cum"),
    ("-diff_base", "-drop_negative"), ("-diff_base", "-sample_index=0", *UNTRIMMED),
)  # fmt: skip
FOLDERS = ("pprof/go", "pprof/other", "goroutine-triple", "pairs")
# Heap with inlining, cpu, labels, contention, another producer, no symbols, one of several binaries.
OF_ALL_SORTS = (
    "pprof/go/etcd-series/pprof.etcd.heap.068.pb.gz", "pprof/go/transferfile/cpu.prof", "pprof/go/cortex-goroutine",
    "pprof/go/parca-labels.pb.gz", "pprof/go/notes-cpu-labels.pb.gz", "pprof/go/pprofutils-avg-block.in.pprof",
    "pprof/go/pprofutils-labelframes.in.pprof", "pprof/go/parca-stripped-cpu.stripped.pprof",
    "pprof/other/pyroscope-profile_java", "pprof/other/report-sample.cpu.pb.gz",
    "pprof/other/pyroscope-no_addr_no_line.pb.gz",
)  # fmt: skip
PAIRS = (
    ("pprof/go/ddtrace-heap.before.pprof", "pprof/go/ddtrace-heap.after.pprof"),
    ("pprof/go/ddtrace-block.before.pprof", "pprof/go/ddtrace-block.after.pprof"),
    ("pprof/go/gonote-heap.base", "pprof/go/gonote-heap.current"),
    ("pprof/go/raft-memprev.pprof", "pprof/go/raft-mem.pprof"),
    ("pprof/go/metrics-alert-base.pprof", "pprof/go/metrics-alert-result.pprof"),
    ("pprof/go/longbow-heap_initial.prof", "pprof/go/longbow-heap_final.prof"),
    ("pprof/go/chaosmesh-goroutine-1.pb.gz", "pprof/go/chaosmesh-goroutine-2.pb.gz"),
    ("pprof/go/etcd-series/pprof.etcd.heap.001.pb.gz", "pprof/go/etcd-series/pprof.etcd.heap.068.pb.gz"),
    ("pprof/go/etcd-series/pprof.etcd.goroutine.001.pb.gz", "pprof/go/etcd-series/pprof.etcd.goroutine.040.pb.gz"),
    ("pprof/go/parca-heap-series/1644509272337470000.pb.gz", "pprof/go/parca-heap-series/1644509299337903000.pb.gz"),
    ("pairs/tidb-oom-2022-11-04T150543/heap.pb.gz", "pairs/tidb-oom-2022-11-04T151121/heap.pb.gz"),
    ("pprof/go/transferfile/cpu.prof", "pprof/go/seventv-eventapi/profile"),
)


@cache
def pprof_program() -> str:
    """Return the path of pprof itself: starting it through `go tool` takes twenty times as long."""
    asked = [str(need_go()), "tool", "-n", "pprof"]
    told = subprocess.run(asked, env=environment(), capture_output=True, text=True, check=True).stdout
    return told.strip()


def theirs(*arguments: str | Path) -> Answer:
    """Run pprof."""
    done = subprocess.run([pprof_program(), *map(str, arguments)], capture_output=True, check=False)
    return Answer(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def ours(*arguments: str | Path) -> Answer:
    """Run our command line in this process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        code = run([str(argument) for argument in arguments])
    for stream in (out, err):
        stream.seek(0)
    return Answer(code, out.read(), err.read())


@cache
def profile_in(path: Path) -> Profile | None:
    """Return the profile in a file when it is pprof protobuf."""
    readings = parse(Capture(str(path), path.read_bytes()))
    return next((r.profile for r in readings if r.format == "pprof"), None)


def profiles_under(folder: Path) -> list[Path]:
    """Return the files that hold pprof protobuf whose names a terminal can show."""
    found = [path for path in sorted(folder.rglob("*")) if path.is_file() and profile_in(path) is not None]
    return [path for path in found if not any("\n" in name for name in _names(path))]


def _names(path: Path) -> list[str]:
    profile = profile_in(path)
    assert profile is not None
    return [profile.strings[row] for row in profile.functions.name.tolist()]


def difference(view: str, flags: Sequence[str], *files: Path) -> str:
    """Return what differs between pprof's text and ours, "" when nothing does."""
    word, _, expression = view.partition("=")
    # Names that are still mangled: we show them as they are, and ask pprof to do so, too.
    plain = ["-symbolize=none"] if any(name.startswith("_Z") for path in files for name in _names(path)) else []
    wanted = theirs(f"-{view}", *plain, *flags, *files)
    got = ours(word, *flags, *(["--", expression] if expression else []), *files)
    what = f"{view} {' '.join(flags)} {' '.join(path.name for path in files)}"
    if wanted.code:
        refused = "malformed profile" in wanted.err  # where pprof reads nothing, we may still read something
        return "" if refused or got.code else f"{what}: pprof says {wanted.err[-200:]!r}, we print {len(got.out)} bytes"
    left, right = (in_order(text, "-files" in flags) for text in (got.out, wanted.out))
    if got.code == 0 and left == right:
        return ""
    pairs = ((a, b) for a, b in zip([*left, ""], [*right, ""], strict=False) if a != b)
    first, second = next(pairs, ("", ""))
    return f"{what}: {got.err[-200:]}\n   ours: {first}\n  pprof: {second}"


def in_order(text: str, files: bool) -> list[str]:
    """Return the lines, those whose order pprof leaves to chance sorted."""
    if files:
        # A file has a node for each of its functions, and they tie; without order the running sum says nothing.
        return sorted(re.sub(r"^( *\S+ +\S+%) +\S+%", r"\1", line) for line in text.splitlines())
    ordered: list[str] = []
    for edges, lines in groupby(text.splitlines(), lambda line: line.startswith(" " * 20)):
        ordered.extend(sorted(lines) if edges else lines)  # noqa: B031  one of the two is used
    return ordered


def no_differences(found: Iterable[str]) -> None:
    """Fail with the first few differences."""
    real = [text for text in found if text]
    assert not real, f"{len(real)} differ from go tool pprof:\n" + "\n".join(real[:5])


def every_number(files: Iterable[Path]) -> Iterable[str]:
    """Yield what differs in flat, cum, total and names, for every sample index of every file."""
    for path in files:
        profile = profile_in(path)
        for index, kind in enumerate(profile.sample_types if profile else ()):
            yield difference("top", [*UNTRIMMED, f"-sample_index={index}", f"-unit={kind.unit or 'count'}"], path)


def every_view(files: Iterable[Path]) -> Iterable[str]:
    """Yield what differs in the text of each view with no flags at all."""
    for path in files:
        yield difference("top", [], path)
        yield difference("tree", [], path)
        yield difference("peek=main|http|run", [], path)
        if path.stat().st_size < 100_000:  # traces of big ones are hundreds of thousands of lines
            yield difference("traces", [], path)


def recorded(*names: str) -> list[Path]:
    """Return recorded profiles with these names, of every Go version."""
    found = [path for name in names for path in sorted(RECORDED.rglob(name))]
    assert found, f"nothing recorded under {RECORDED}"
    return found


def test_numbers_of_recorded_profiles() -> None:
    no_differences(every_number(recorded("*.pb.gz")))


def test_views_of_recorded_profiles() -> None:
    no_differences(every_view(recorded("*.pb.gz")))


@pytest.mark.parametrize("flags", [*GRANULARITIES, *FLAGS, *FILTERS], ids=" ".join)
def test_flags_on_recorded_profiles(flags: tuple[str, ...]) -> None:
    files = recorded("heap.pb.gz", "cpu.pb.gz", "goroutine.pb.gz")[-6:]
    views = ("top",) if "-files" in flags else ("top", "tree", "traces")
    no_differences(difference(view, flags, path) for path in files for view in views)


@pytest.mark.parametrize("flags", COMPARISONS, ids=" ".join)
def test_comparisons_of_recorded_profiles(flags: tuple[str, ...]) -> None:
    for name in ("heap.pb.gz", "goroutine.pb.gz", "block.pb.gz", "cpu.pb.gz"):
        before, *_, after = recorded(name)
        given = (f"{flags[0]}={before}", *flags[1:])
        no_differences(difference(view, given, after) for view in ("top", "tree", "traces"))


def test_several_profiles_are_merged() -> None:
    for name in ("heap.pb.gz", "goroutine.pb.gz", "cpu.pb.gz"):
        files = recorded(name)[:4]
        no_differences(difference(view, UNTRIMMED, *files) for view in ("top", "tree", "traces"))


@pytest.mark.parametrize(
    "flags",
    [(), ("-focus=main",), ("-hide=runtime", "-noinlines"), ("-divide_by=2",), ("-tagroot=bytes",)],
    ids=" ".join,
)
def test_what_we_write_pprof_reads(flags: tuple[str, ...], tmp_path: Path) -> None:
    for path in recorded("heap.pb.gz", "cpu.pb.gz", "goroutine.pb.gz")[-6:]:
        written, by_pprof = tmp_path / "ours.pb.gz", tmp_path / "theirs.pb.gz"
        got = ours("top", *flags, "--proto", written, path)
        assert got.code == 0, got.err
        assert theirs("-proto", *flags, f"-output={by_pprof}", path).code == 0
        for view in ("top", "tree", "traces"):
            text = theirs(f"-{view}", *UNTRIMMED, written).out
            assert text == theirs(f"-{view}", *UNTRIMMED, by_pprof).out, f"{view} {path} {flags}"
            assert text == ours(view, *UNTRIMMED, written).out, f"{view} {path} {flags}"


def test_a_difference_written_back_is_the_difference(tmp_path: Path) -> None:
    before, *_, after = recorded("heap.pb.gz")
    written = tmp_path / "difference.pb.gz"
    got = ours("top", f"-diff_base={before}", "--proto", written, after)
    assert got.code == 0, got.err
    wanted = theirs("-top", *UNTRIMMED, f"-diff_base={before}", after)
    assert theirs("-top", *UNTRIMMED, written).out == wanted.out


@pytest.mark.shared
@pytest.mark.parametrize("folder", FOLDERS)
def test_numbers_of_shared_profiles(folder: str) -> None:
    no_differences(every_number(profiles_under(need_shared() / folder)))


@pytest.mark.shared
@pytest.mark.parametrize("folder", FOLDERS)
def test_views_of_shared_profiles(folder: str) -> None:
    files = profiles_under(need_shared() / folder)
    no_differences(every_view(path for path in files if path.stat().st_size < 500_000))


@pytest.mark.shared
@pytest.mark.parametrize("flags", [*GRANULARITIES, *FLAGS, *FILTERS], ids=" ".join)
def test_flags_on_shared_profiles(flags: tuple[str, ...]) -> None:
    views = ("top",) if "-files" in flags else ("top", "tree")
    no_differences(difference(view, flags, need_shared() / name) for name in OF_ALL_SORTS for view in views)


@pytest.mark.shared
@pytest.mark.parametrize("flags", COMPARISONS, ids=" ".join)
def test_comparisons_of_shared_profiles(flags: tuple[str, ...]) -> None:
    for before, after in PAIRS:
        given = (f"{flags[0]}={need_shared() / before}", *flags[1:])
        no_differences(difference(view, given, SHARED / after) for view in ("top", "tree", "traces"))


@pytest.mark.shared
def test_a_series_is_merged() -> None:
    series = sorted((need_shared() / "pprof/go/etcd-series").glob("*heap*"))
    no_differences(difference(view, UNTRIMMED, *series) for view in ("top", "tree", "traces"))
