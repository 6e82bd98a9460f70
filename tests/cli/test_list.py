"""oakum list as users call it: pprof's numbers and layout, sources found, and what is said when they are not."""

import io
import json
import os
import re
import subprocess
import zipfile
from pathlib import Path

import pytest

from support import need_shared, oakum
from toolchain import environment, need_go

PROGRAM = Path(__file__).parent / "testdata" / "listing"

SOURCE = """package main

func work(jobs chan int) {
	for {
		<-jobs
	}
}

func main() {
	jobs := make(chan int)
	for i := 0; i < 3; i++ {
		go work(jobs)
	}
	select {}
}
"""
DUMP = """goroutine 1 [select (no cases)]:
main.main()
	{place}/main.go:14 +0x85

goroutine 6 [chan receive]:
main.work(0xc000012345?)
	{place}/main.go:5 +0x25
created by main.main in goroutine 1
	{place}/main.go:12 +0x65

goroutine 7 [chan receive]:
main.work(0xc000012345?)
	{place}/main.go:5 +0x25
created by main.main in goroutine 1
	{place}/main.go:12 +0x65
"""
LISTED = """Total: 3
ROUTINE ======================== main.work in {file}
         2          2 (flat, cum) 66.67% of Total
         .          .      1:package main
         .          .      2:
         .          .      3:func work(jobs chan int) {{
         .          .      4:	for {{
         2          2      5:		<-jobs
         .          .      6:	}}
         .          .      7:}}
         .          .      8:
         .          .      9:func main() {{
         .          .     10:	jobs := make(chan int)
"""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test in an empty directory, with an empty home and no Go settings."""
    monkeypatch.chdir(tmp_path)
    for name in ("GOROOT", "GOPATH", "GOMODCACHE", "COLUMNS", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_text_dump_is_listed_with_counts_per_line(tmp_path: Path) -> None:
    file = put(tmp_path / "src" / "main.go", SOURCE)
    dump = put(tmp_path / "dump.txt", DUMP.format(place=tmp_path / "src"))
    code, out, _ = oakum("list", r"main\.work", dump)
    assert (code, out) == (0, LISTED.format(file=file))


def test_context_leaves_lines_out(tmp_path: Path) -> None:
    put(tmp_path / "src" / "main.go", SOURCE)
    dump = put(tmp_path / "dump.txt", DUMP.format(place=tmp_path / "src"))
    _, out, err = oakum("list", r"main\.work", "--context", "1", dump)
    assert not err
    assert out.splitlines()[3:] == [
        "         .          .      4:	for {",
        "         2          2      5:		<-jobs",
        "         .          .      6:	}",
    ]


def test_a_source_found_elsewhere_is_named(tmp_path: Path) -> None:
    file = put(tmp_path / "checkout" / "cmd" / "main.go", SOURCE)
    dump = put(tmp_path / "dump.txt", DUMP.format(place="C:/ci/app/cmd"))
    code, out, _ = oakum("list", "work", "-source_path", tmp_path / "checkout", dump)
    assert code == 0
    lines = out.splitlines()
    assert lines[1] == "ROUTINE ======================== main.work in C:/ci/app/cmd/main.go"
    assert lines[3] == f" Source: {file} (end of the path)"
    assert [lines[:1], lines[4:]] == [LISTED.splitlines()[:1], LISTED.format(file="").splitlines()[3:]]


def test_a_source_of_another_version_is_said_to_be_one(tmp_path: Path) -> None:
    put(tmp_path / "src" / "main.go", "package main\n\nfunc other() {\n}\n\n\nfunc work() {}\n")
    dump = put(tmp_path / "dump.txt", DUMP.format(place=tmp_path / "src"))
    _, out, _ = oakum("list", "work", dump)
    assert (
        " Note: this source differs from that of the running version: line 5 is inside func other" in out.splitlines()
    )
    put(tmp_path / "src" / "main.go", "package main\n\nfunc work() {}\n")
    _, out, _ = oakum("list", "work", dump)
    assert "it has 3 lines, and the profile names line 5" in out
    assert out.splitlines()[-1] == "         2          2      5:???"


def test_a_missing_source_keeps_the_numbers_and_names_every_place(tmp_path: Path) -> None:
    dump = put(tmp_path / "dump.txt", DUMP.format(place="/ci/nowhere/app"))
    code, out, err = oakum("list", "main.(work|main)", "-source_path", tmp_path / "a", dump)
    assert code == 4
    assert err == "oakum: no source file was found; the listing shows the places searched\n"
    assert out.splitlines() == [
        "Total: 3",
        "ROUTINE ======================== main.main in /ci/nowhere/app/main.go",
        "         1          1 (flat, cum) 33.33% of Total",
        " Error: the source file /ci/nowhere/app/main.go was not found. Looked, in this order, at",
        "   /ci/nowhere/app/main.go",
        *(f"   {tmp_path}/a/{end}main.go" for end in ("ci/nowhere/app/", "nowhere/app/", "app/", "")),
        " Next: -source_path DIR, a checkout of the program that holds app/main.go (-trim_path /ci/nowhere makes that "
        "DIR/app/main.go)",
        "         1          1     14:???",
        "ROUTINE ======================== main.work in /ci/nowhere/app/main.go",
        "         2          2 (flat, cum) 66.67% of Total",
        " Error: /ci/nowhere/app/main.go was not found, see above",
        "         2          2      5:???",
    ]


def test_json(tmp_path: Path) -> None:
    file = put(tmp_path / "src" / "main.go", SOURCE)
    dump = put(tmp_path / "dump.txt", DUMP.format(place=tmp_path / "src"))
    _, out, _ = oakum("list", "work", "--json", dump)
    (routine,) = json.loads(out)["routines"]
    assert (routine["source"], routine["flat"], routine["looked"]) == (str(file), 2, [])
    assert {"line": 5, "flat": 2, "cum": 2, "text": "\t\t<-jobs"} in routine["lines"]


def test_decisive_lines_are_bold_on_a_terminal_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "src" / "main.go", SOURCE)
    dump = put(tmp_path / "dump.txt", DUMP.format(place=tmp_path / "src"))
    assert "\x1b" not in oakum("list", "work", dump)[1]
    monkeypatch.setenv("CLICOLOR_FORCE", "1")
    bold = [line for line in oakum("list", "work", dump)[1].splitlines() if "\x1b[1m" in line]
    assert [line[4:14].strip() for line in bold] == ["ROUTINE ==", "2"]
    oakum("list", "work", "-o", "out.txt", dump)
    assert "\x1b" not in (tmp_path / "out.txt").read_text(encoding="utf-8")


def test_evidence_and_source_cannot_drive_the_terminal(tmp_path: Path) -> None:
    put(tmp_path / "src" / "main.go", SOURCE.replace("<-jobs", "<-jobs // \x1b[2J"))
    dump = put(tmp_path / "dump.txt", DUMP.format(place=tmp_path / "src"))
    assert "5:\t\t<-jobs // \\x1b[2J\n" in oakum("list", "work", dump)[1]


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("nothing", "no function matches nothing; oakum top shows their names"),
        ("MAIN", "no function matches MAIN; in another case it would match main.main"),
        ("(", "-list=(: not a regular expression"),
    ],
)
def test_expressions_that_match_nothing(tmp_path: Path, expression: str, said: str) -> None:
    dump = put(tmp_path / "dump.txt", DUMP.format(place="/app"))
    code, out, err = oakum("list", expression, dump)
    assert (code, out) == (2, "")
    assert said in err


def test_help_shows_two_examples_and_pprofs_flags() -> None:
    code, out, _ = oakum("list", "--help")
    assert code == 0
    assert out.count("oakum list ") >= 3  # the usage line and two examples
    assert {"--source_path", "--trim_path", "--sample_index", "--diff_base", "--context"} <= set(
        re.findall(r"--\w+", out)
    )


# --- beside go tool pprof ---------------------------------------------------------------------------------------------

GO_ENVIRONMENT = environment()  # taken before a test has another HOME: Go's build cache lies there


def pprof(*arguments: object, cwd: Path) -> str:
    """Return what go tool pprof prints."""
    command = [str(need_go()), "tool", "pprof", *map(str, arguments)]
    env = GO_ENVIRONMENT | {"PPROF_TMPDIR": str(cwd)}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def go(*arguments: object, cwd: Path, **more: str) -> None:
    done = subprocess.run(
        [str(need_go()), *map(str, arguments)], cwd=cwd, env=GO_ENVIRONMENT | more, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()


@pytest.fixture(scope="module", params=["plain", "trimpath"])
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path, Path]:
    """Return how our program was built, its module and the directory of what it recorded."""
    root = tmp_path_factory.mktemp("listing")
    module, out = root / "module", root / "out"
    out.mkdir()
    for file in PROGRAM.rglob("*"):
        if file.is_file():
            put(module / file.relative_to(PROGRAM), file.read_text(encoding="utf-8"))
    flags = ["-trimpath"] if request.param == "trimpath" else []
    go("build", *flags, "-o", out / "program", ".", cwd=module)
    subprocess.run([out / "program"], cwd=out, check=True, capture_output=True, timeout=60)
    return str(request.param), module, out


def rows(text: str) -> dict[tuple[str, str], list[str]]:
    """Return the lines of each routine by function and base name of its file, remarks left out."""
    routines: dict[tuple[str, str], list[str]] = {}
    for line in text.splitlines():
        if found := re.match(r"ROUTINE =+ (.*) in (.*)$", line):
            current = routines[found[1], found[2].rpartition("/")[2]] = []
        elif routines and not line.startswith((" Source: ", " Note: ")):
            current.append(line)
    return routines


@pytest.mark.live
@pytest.mark.peer
@pytest.mark.parametrize(
    "flags",
    [
        ["heap.pb.gz"],
        ["-sample_index=alloc_objects", "heap.pb.gz"],
        ["-noinlines", "heap.pb.gz"],
        ["-focus=grow", "-hide=small", "-unit=B", "heap.pb.gz"],
        ["-diff_base=heap.pb.gz", "-ignore=grow", "heap.pb.gz", "heap.pb.gz"],
        ["goroutine.pb.gz"],
        ["-relative_percentages", "-focus=Descend", "goroutine.pb.gz"],
    ],
    ids=" ".join,
)
def test_the_text_is_go_tool_pprofs(built: tuple[str, Path, Path], flags: list[str]) -> None:
    how, module, out = built
    os.chdir(module)
    files = [str(out / f) if f.endswith(".gz") and "=" not in f else f.replace("=heap", f"={out}/heap") for f in flags]
    pprofs = files if how == "plain" else [f"-source_path={module}", "-trim_path=example.com/Listing", *files]
    expected = pprof("-list=.", *pprofs, cwd=module)
    code, text, _ = oakum("list", ".", *files)
    assert code == 0
    if how == "plain":
        assert text == expected
        return
    ours, theirs = rows(text), rows(expected)
    assert ours.keys() == theirs.keys()
    for key, lines in theirs.items():
        # pprof does not find the standard library of a -trimpath build.
        assert ours[key][0] == lines[0]
        if not lines[1].startswith(" Error: "):
            assert ours[key] == lines
        else:
            assert len(ours[key]) > 1
            assert "???" not in "\n".join(ours[key])


@pytest.mark.live
def test_every_goroutine_format_lists_the_same_counts(built: tuple[str, Path, Path]) -> None:
    _, module, out = built
    os.chdir(module)
    listed = {
        name: oakum("list", r"deep\.Descend", out / name)[1]
        for name in ("goroutine.pb.gz", "goroutine.debug1.txt", "goroutine.debug2.txt")
    }
    for text in listed.values():
        numbers = dict(re.findall(r"^ +\S+ +(\d+) +(\d+):", text, re.MULTILINE))
        assert numbers == {"4": "31", "5": "34"}
        assert "Note:" not in text


@pytest.mark.live
@pytest.mark.parametrize("flags", [[], ["-trimpath"], ["-mod=vendor"], ["-mod=vendor", "-trimpath"]], ids=" ".join)
def test_dependencies_are_found_after_real_builds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: list[str]
) -> None:
    """Build against an upper-case module from a local proxy; list it as built, then after the caches moved."""
    cache, module = tmp_path / "cache", tmp_path / "app"
    proxy = tmp_path / "proxy" / "example.com" / "!upper" / "!dep" / "@v"
    source = "package dep\n\nfunc Park(ready chan<- bool) {\n\tready <- true\n\tselect {}\n}\n"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("example.com/Upper/Dep@v1.2.0/go.mod", "module example.com/Upper/Dep\n\ngo 1.18\n")
        archive.writestr("example.com/Upper/Dep@v1.2.0/sub/dep.go", source)
    put(proxy / "v1.2.0.mod", "module example.com/Upper/Dep\n\ngo 1.18\n")
    put(proxy / "v1.2.0.info", '{"Version": "v1.2.0"}')
    (proxy / "v1.2.0.zip").write_bytes(packed.getvalue())
    put(module / "go.mod", "module example.com/app\n\ngo 1.18\n\nrequire example.com/Upper/Dep v1.2.0\n")
    put(
        module / "main.go",
        """package main

import (
	"os"
	"runtime/pprof"

	dep "example.com/Upper/Dep/sub"
)

func main() {
	ready := make(chan bool)
	go dep.Park(ready)
	<-ready
	pprof.Lookup("goroutine").WriteTo(os.Stdout, 0)
}
""",
    )
    settings = {
        "GOPROXY": (tmp_path / "proxy").as_uri(),
        "GOSUMDB": "off",
        "GOMODCACHE": str(cache),
        "GOFLAGS": "-modcacherw -buildvcs=false",
        "GOPATH": str(tmp_path / "gopath"),
    }
    go("mod", "tidy", cwd=module, **settings)
    if "-mod=vendor" in flags:
        go("mod", "vendor", cwd=module, **settings)
    go("build", *flags, "-o", tmp_path / "program", ".", cwd=module, **settings)
    profile = tmp_path / "goroutine.pb.gz"
    with profile.open("wb") as file:
        subprocess.run([tmp_path / "program"], stdout=file, check=True, timeout=60)

    def listed(*more: str | Path) -> str:
        code, text, err = oakum("list", "Park", *more, profile)
        assert code == 0, text + err
        assert "         .          1      5:\tselect {}" in text.splitlines()
        assert "Note:" not in text
        return text

    monkeypatch.setenv("GOMODCACHE", str(cache))
    listed("-source_path", module)
    if "-mod=vendor" not in flags:
        os.chdir(tmp_path)
        listed()  # the cache alone is enough
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    if "-mod=vendor" in flags:
        module.rename(moved / "checkout")
        monkeypatch.delenv("GOMODCACHE")
        listed("-source_path", moved / "checkout")
    else:
        cache.rename(moved / "mod")
        monkeypatch.setenv("GOMODCACHE", str(moved / "mod"))
        assert f" Source: {moved}/mod/example.com/!upper/!dep@v1.2.0/sub/dep.go (module cache)" in listed()


def figures(text: str) -> dict[str, tuple[str, dict[str, tuple[str, str]]]]:
    """Return the totals of each routine, and the values of each line that has any."""
    found: dict[str, tuple[str, dict[str, tuple[str, str]]]] = {}
    for block in re.split(r"^ROUTINE =+ ", text, flags=re.MULTILINE)[1:]:
        name, totals, *lines = block.splitlines()
        values = [m for line in lines if (m := re.match(r" *(\S+) +(\S+) +(\d+):", line))]
        found[name] = totals, {m[3]: (m[1], m[2]) for m in values if (m[1], m[2]) != (".", ".")}
    return found


@pytest.mark.peer
@pytest.mark.shared
@pytest.mark.parametrize(
    "name",
    [
        "pprof/go/easyproxies-heap.pb.gz",
        "pprof/go/pyroscope-heap_go_truncated_1.pb.gz",
    ],
)
def test_real_profiles_have_go_tool_pprofs_values(tmp_path: Path, name: str) -> None:
    profile = need_shared() / name
    expected = figures(pprof("-list=.", profile, cwd=tmp_path))
    ours = figures(oakum("list", ".", profile)[1])
    assert ours.keys() == expected.keys()
    for routine, (totals, values) in expected.items():
        assert ours[routine][0] == totals
        # pprof leaves out lines whose source it does not find.
        assert values.items() <= ours[routine][1].items()
