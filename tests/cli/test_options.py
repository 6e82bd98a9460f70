"""pprof's flags as people write them, through the real command line in this process."""

import json
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from handmade import profile
from oakum.cli import run, verbs
from oakum.cli.options import look, query_of
from oakum.cli.top import command
from oakum.model import Profile
from oakum.model.goroutine import STATE_LABEL
from oakum.views.proto import encode
from oakum.views.query import Query
from support import oakum

HEAP = profile(
    [("alloc work main", (3, 3 << 20), {"bytes": (1 << 20, "bytes")}), ("other main", (5, 5 << 10))],
    ("inuse_objects/count", "inuse_space/bytes"),
)


def saved(folder: Path, name: str = "heap.pb.gz", made: Profile = HEAP) -> str:
    path = folder / name
    path.write_bytes(encode(made))
    return str(path)


def query(*arguments: str) -> Query:
    """Return the query that these flags make."""
    group = verbs.make_context("oakum", ["top", "x"])
    with click.Context(command, parent=group) as context:
        command.parse_args(context, [f"-{a}" if a.startswith("-") else a for a in (*arguments, "x")])
        given: dict[str, Any] = context.params
        return query_of(given)


@pytest.mark.parametrize(
    ("flags", "wanted"),
    [
        ((), Query()),
        (("-cum",), Query(sort="cum")),
        (("-cum=true",), Query(sort="cum")),
        (("-cum=false",), Query()),
        (("-cum=false", "-flat"), Query()),
        (("-trim",), Query()),
        (("-trim=false",), Query(trim=False)),
        (("-trim=true",), Query()),
        (("-sample_index=alloc_space",), Query(sample_index="alloc_space")),
        (("-sample-index", "1"), Query(sample_index="1")),
        (("-inuse_objects",), Query(sample_index="inuse_objects")),
        (("-mean_delay",), Query(sample_index="delay", mean=True)),
        (("-total_delay",), Query(sample_index="delay")),
        (("-contentions",), Query(sample_index="contentions")),
        (("-nodecount=7", "-nodefraction=0.1"), Query(nodecount=7, nodefraction=0.1)),
        (("-nodefraction=0", "-edgefraction=0"), Query(nodefraction=0, edgefraction=0)),
        (("-lines",), Query(granularity="lines")),
        (("-focus=a=b", "-hide", "x|y"), Query(focus="a=b", hide="x|y")),
        (("-tagfocus=user=ann", "-divide_by=2.5"), Query(tagfocus="user=ann", divide_by=2.5)),
        (("-noinlines", "-call_tree", "-relative_percentages"), Query(noinlines=True, call_tree=True, relative_percentages=True)),
        (("-unit=ms", "-compact_labels"), Query(unit="ms", compact_labels=True)),
        (("-symbolize=none",), Query()),
    ],
)  # fmt: skip
def test_flags_mean_what_they_mean_in_pprof(flags: tuple[str, ...], wanted: Query) -> None:
    assert query(*flags) == wanted


@pytest.mark.parametrize(
    ("flags", "complaint"),
    [
        (("-cum", "-flat"), "exclude one another: -cum, -flat"),
        (("-lines", "-files"), "exclude one another: -files, -lines"),
        (("-cum=perhaps",), "must be true or false"),
        (("-normalize",), "-normalize needs -base"),
        (("-base=a", "-diff_base=b"), "exclude each other"),
        (("-sample_index=bogus",), "this profile has inuse_objects, inuse_space"),
        (("-focus=(",), "-focus=(: not a regular expression"),
        (("-nodecount=many",), "not a valid integer"),
        (("-bogus",), "No such option"),
        (("--dump=2",), "--dump 2"),
    ],
)
def test_what_does_not_fit_is_refused_with_code_2(
    flags: tuple[str, ...], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["top", *flags, saved(tmp_path)]) == 2
    assert complaint in capsys.readouterr().err


def test_several_values_asked_for_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["top", "-inuse_objects", "-inuse_space", saved(tmp_path)]) == 0
    answer = capsys.readouterr()
    assert "several values were asked for" in answer.err
    assert "of 3MB total" in answer.out


def test_remarks_of_filters_go_to_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["top", "-focus=nope", saved(tmp_path)]) == 0
    assert "Focus expression matched no samples" in capsys.readouterr().err


def test_text_goes_to_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "top.txt"
    assert run(["top", "-o", str(output), saved(tmp_path)]) == 0
    assert capsys.readouterr().out == ""
    assert output.read_text().startswith("Type: inuse_space\nShowing nodes accounting for 3MB, 99.84% of 3MB total\n")
    assert run(["top", "-o", str(tmp_path / "no" / "folder"), saved(tmp_path)]) == 4


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for verb in (["top"], ["tree"], ["peek", "main"], ["traces"]):
        assert run([*verb, saved(tmp_path), "--json"]) == 0
        made = json.loads(capsys.readouterr().out)
        assert (made["view"], made["total"], made["unit"]) == (verb[0], (3 << 20) + (5 << 10), "bytes")


def test_a_written_profile_reads_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = tmp_path / "out.pb.gz"
    assert run(["top", "-focus=alloc", "--proto", str(written), saved(tmp_path)]) == 0
    capsys.readouterr()
    assert run(["top", "-compact_labels", str(written)]) == 0
    assert "Showing nodes accounting for 3MB, 100% of 3MB total" in capsys.readouterr().out


def test_binary_is_not_written_to_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert run(["top", "--proto", "-", saved(tmp_path)]) == 2
    assert "will not write binary to a terminal" in capsys.readouterr().err


def test_profiles_are_merged_and_subtracted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = saved(tmp_path), saved(tmp_path, "after.pb.gz")
    assert run(["top", "-compact_labels", "-inuse_objects", before, after]) == 0
    assert "of 16 total" in capsys.readouterr().out
    assert run(["top", "-compact_labels", "-base", before, after]) == 0
    assert "of 0 total" in capsys.readouterr().out
    assert run(["top", "-compact_labels", f"-diff_base={before}", "-inuse_objects", after]) == 0
    assert "0% of 8 total" in capsys.readouterr().out


def test_the_program_before_the_profile_is_passed_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "app"
    program.write_bytes(b"\x7fELF\x02\x01\x01")
    assert run(["top", str(program), saved(tmp_path)]) == 0
    assert "is a program" in capsys.readouterr().err


def test_shares_are_dressed_only_where_there_are_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert look().share("5", 1, 2) == "5"
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("CLICOLOR_FORCE", "1")
    assert [look().share("x", value, 1000) for value in (100, 50, 9)] == ["\x1b[1mx\x1b[0m", "x", "\x1b[2mx\x1b[0m"]
    assert look(on_screen=False).share("x", 1, 1) == "x"


def test_names_cannot_drive_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert look().name("a\x1b[2J\nb", 0, "(inline)") == "a\\x1b[2J\\nb (inline)"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr("oakum.cli.options.width", lambda: 60)
    assert look().name("github.com/a/b/c/d." + "x" * 40, 30, "") == "github.com…xxxxxxxxxxxxxxxxxxx"
    assert look().name("short", 30, "") == "short"


def test_help_lists_flags_in_groups_and_then_examples(capsys: pytest.CaptureFixture[str]) -> None:
    for verb in ("top", "tree", "peek", "traces"):
        assert run([verb, "--help"]) == 0
        text = capsys.readouterr().out
        assert text.index("Sample value:") < text.index("--sample_index") < text.index("Compare:")
        assert "-h, --help" in text
        assert text.index("Compare:") < text.index("EVIDENCE is ") < text.index("Examples:") < text.index("Exit codes:")
        assert f"    oakum {verb} " in text.partition("Examples:")[2]


@pytest.mark.slow
def test_each_view_runs_in_a_process_of_its_own(tmp_path: Path) -> None:
    path = saved(tmp_path)
    for verb in (["top"], ["tree"], ["peek", "alloc|other"], ["traces"]):
        answer = oakum(*verb, path)
        assert (answer.code, answer.err) == (0, "")
        assert "alloc" in answer.out
    assert oakum("peek", "nothing like this", path).code == 2


def test_a_goroutine_dump_is_shown_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dump = tmp_path / "dump.txt"
    dump.write_text(
        "goroutine 1 [running]:\nmain.main()\n\t/src/main.go:10 +0x1d\n\n"
        "goroutine 7 [chan send, 12 minutes]:\nmain.worker(0xc000012345)\n\t/src/main.go:20 +0x2a\n"
        "created by main.main in goroutine 1\n\t/src/main.go:9 +0x5e\n"
    )
    assert run(["top", f"-tagfocus={STATE_LABEL}=chan send", str(dump)]) == 0
    assert "main.worker" in capsys.readouterr().out
