"""Programs: the build that Go's linker noted, the functions that are linked in, and what is no Go program.

tests/testdata/binaries holds real programs, hollowed by tests/record/binaries.py: orders, built by Go 1.13 to 1.27 for
many systems, with what `go version -m` says of each in versions.txt; and of Go 1.12, which no toolchain at hand makes,
programs that others published: lefthook 0.6.3 (MIT; built in its module) and gox (MPL 2.0; outside of one, stripped).
"""

import gzip
import mmap
import random
import re
import struct
import subprocess
import tracemalloc
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from time import process_time

import pytest

import toolchain
from oakum.cli.case import case
from oakum.model import Build, Capture, Reading
from oakum.parse import build_text, go_binary, parse
from oakum.parse.limits import DEFAULT
from oakum.report.words.lines import problem_line
from record.binaries import universal
from support import RECORDED, ROOT, oakum

BINARIES = ROOT / "tests" / "testdata" / "binaries"
ORDERS = ROOT / "tests" / "record" / "orders"
SAID = {
    reading.notes["program"]: reading.build or Build()
    for reading in build_text.read((BINARIES / "versions.txt").read_bytes(), DEFAULT)
}
PEN = "example.org/Lantern/pen.v2"
LINKED = {f"{PEN}.NewGate", f"{PEN}.(*Gate).Enter", f"{PEN}.(*Gate).Enter.func1", "main.main", "runtime.goexit"}
ABSENT = {f"{PEN}.(*Gate).Leave", f"{PEN}.Gate", "net/http.Get"}
BEFORE_1_18 = [name for name in SAID if name < "go1.18"]
# One of each system, of the latest Go that was recorded.
SYSTEMS = ("go1.27-linux-arm64", "go1.26-darwin-universal", "go1.27-windows-386", "go1.13-linux-386")
MARK = b"\xff Go buildinf:"


@cache
def program(name: str) -> bytes:
    return gzip.decompress((BINARIES / f"{name}.gz").read_bytes())


def one(data: bytes | memoryview | mmap.mmap) -> Reading:
    (reading,) = go_binary.read(data, DEFAULT)
    return reading


def elf(body: bytes, *, kind: int = 2, promised: int = 0, zeros: int = 0) -> bytes:
    """Return an ELF program of 64 bits without sections whose one segment holds these bytes at address 0x400080."""
    head = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", kind, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    size = 128 + len(body) + promised
    return head + struct.pack("<IIQQQQQQ", 1, 6, 0, 0x400000, 0, size, size + zeros, 4096) + bytes(8) + body


def table(*names: str) -> bytes:
    """Return the table of functions as Go 1.20 and later lay it out, with nothing but names in it."""
    text = b"".join(name.encode() + b"\0" for name in names)
    return struct.pack("<IBBBB8Q", 0xFFFFFFF1, 0, 0, 1, 8, len(names), 1, 0, 72, 72 + len(text), 0, 0, 0) + text


def linked_in(data: bytes, wanted: Iterable[str]) -> set[str] | None:
    found = go_binary.names(data, wanted)
    return None if found is None else set(found)


def linked(names: list[str], wanted: list[str]) -> set[str] | None:
    return linked_in(elf(table("runtime.main", *names)), wanted)


@pytest.mark.parametrize("name", SAID)
def test_builds_are_told_as_go_tells_them(name: str) -> None:
    reading = one(program(name))
    assert (reading.kind, reading.format, reading.producer, reading.problems) == ("build", "go-binary", "Go", ())
    assert reading.build == SAID[name]
    assert (reading.go_version, SAID[name].main) == (SAID[name].go, "example.com/shop")
    assert SAID[name].replaced == {PEN: "../pen.v2"}


@pytest.mark.parametrize("name", SAID)
def test_linked_functions_are_told_from_others(name: str) -> None:
    generic = {"main.(*box[...]).take"}
    found = linked_in(program(name), LINKED | ABSENT | generic)
    assert found == (LINKED if name in BEFORE_1_18 else LINKED | generic)


@pytest.mark.parametrize(
    ("system", "modules", "file"),
    [
        ("linux", 19, "an ELF program (amd64)"),
        ("darwin", 19, "a macOS program (amd64)"),
        ("windows", 18, "a Windows program (amd64)"),
    ],
)
def test_go_1_12_which_has_no_mark(system: str, modules: int, file: str) -> None:
    data = program(f"lefthook-go1.12-{system}-amd64")
    assert MARK not in data
    reading = one(data)
    assert reading.build is not None
    assert (reading.go_version, reading.problems, dict(reading.notes)) == ("go1.12.6", (), {"file": file})
    assert (reading.build.path, reading.build.main_version) == ("github.com/Arkweid/lefthook", "(devel)")
    assert reading.build.modules is not None
    assert len(reading.build.modules) == modules
    assert reading.build.modules["github.com/spf13/cobra"] == "v0.0.3"
    wanted = ["github.com/spf13/cobra.(*Command).Execute", "github.com/spf13/cobra.(*Command).Executes"]
    assert linked_in(data, wanted) == {wanted[0]}


def test_outside_a_module_the_version_alone_is_told() -> None:
    reading = one(program("gox-go1.12-linux-amd64"))
    assert reading.build is not None
    assert (reading.build.go, reading.build.modules, reading.build.main) == ("go1.12.12", None, None)
    assert reading.notes["modules"] == "unknown: it was built outside a module"


@pytest.mark.parametrize(("zeros", "modules"), [(16, "unknown: it was built outside a module"), (0, None)])
def test_outside_a_module_before_go_1_18(zeros: int, modules: str | None) -> None:
    # As Debian builds: the pointer to the modules is that of a string which is empty, and not in the file.
    header = MARK + struct.pack("<BBQQ", 8, 0, 0x4000A0, 0x400080 + 57)
    reading = one(elf(header + struct.pack("<QQ", 0x4000B0, 9) + b"go1.15.15", zeros=zeros))
    assert (reading.go_version, reading.notes.get("modules")) == ("go1.15.15", modules)
    assert [problem.key for problem in reading.problems] == ([] if zeros else ["damaged-program"])


@pytest.mark.parametrize("name", BEFORE_1_18)
def test_without_its_mark_a_program_is_read_as_that_of_go_1_12(name: str) -> None:
    # Up to Go 1.17 the mark points at the strings that Go 1.12 has too: other systems than those published.
    assert one(program(name).replace(MARK, bytes(len(MARK)))).build == SAID[name]


def test_a_version_is_not_guessed() -> None:
    rows = b"\0" * 16 + table("runtime.main") + b"go1.12.64096bad" + b"\0" * 16
    assert one(elf(rows)).go_version is None  # a segment that can be written to holds no constants
    constant = elf(rows)[:68] + b"\4" + elf(rows)[69:]
    assert one(constant).go_version == "go1.12"  # 1.12.6 or 1.12.64?
    assert one(constant.replace(b"go1.12.64096", b"go1.12.6goat")).go_version == "go1.12.6"
    two = constant.replace(b"bad" + bytes(8), b"badgo1.11.2")
    assert one(two).go_version is None


def test_the_first_program_of_a_universal_file_that_tells_is_taken() -> None:
    other = struct.pack("<8I", 0xFEEDFACF, 0x01000007, 3, 2, 0, 0, 0, 0)  # a macOS program without anything in it
    data = universal(other, program("go1.27-darwin-arm64-stripped"))
    assert one(data).build == SAID["go1.27-darwin-arm64-stripped"]
    assert one(data).notes["file"] == "a macOS program (arm64)"
    assert linked_in(data, LINKED) == LINKED


def test_names_are_those_that_stacks_have() -> None:
    receive = "k8s.io/apimachinery/pkg/watch.(*StreamWatcher).receive"
    assert linked([receive], [receive, receive[:-1], receive[4:]]) == {receive}
    assert linked([f"k8s.io/kubernetes/vendor/{receive}"], [receive]) == {receive}
    assert linked(["vendor/golang.org/x/net/idna.New"], ["golang.org/x/net/idna.New"]) == set()
    assert linked([f"example.com/copy/{receive}"], [receive]) == set()
    assert linked(["gopkg.in/yaml%2ev2.Unmarshal"], ["gopkg.in/yaml.v2.Unmarshal"]) == {"gopkg.in/yaml.v2.Unmarshal"}
    assert linked(["a.com/b.Map[go.shape.int]"], ["a.com/b.Map[...]", "a.com/b.Ma"]) == {"a.com/b.Map[...]"}
    closure = {"a.com/b.(*T).Run.func1", "a.com/b.(*T).Run"}
    assert linked(["a.com/b.(*T).Run.gowrap1"], [*closure, "a.com/b.(*T).Ru"]) == closure
    assert linked(["a.com/b.(*T).Run", "main.main.(*T).Run.func1"], [*closure]) == closure
    assert linked(["k8s.io/klog/v2.(*flushDaemon).run"], ["k8s.io/klog/v*.(*flushDaemon).run"])
    assert not linked(["k8s.io/klog/v2.(*flushDaemon).run"], ["k8s.io/klog/v*.(*flushDaemon).stop"])


def test_no_telling_is_none() -> None:
    assert linked_in(b"goroutine 1 [running]:\n", ["main.main"]) is None
    assert linked_in(elf(b"nothing"), ["main.main"]) is None
    assert linked_in(elf(table("zS3q.main", "p7Kd.(*q).r")), ["main.main"]) is None  # scrambled by garble
    assert linked(["main.main"], ["*.main"]) is None
    assert linked_in(program("go1.27-linux-arm64")[:600_000], ["main.main"]) is None
    assert linked([], []) == set()


@pytest.mark.parametrize(
    ("data", "key", "says"),
    [
        (elf(bytes(100)), "not-a-profile", "an ELF program (amd64), not built by Go"),
        (elf(bytes(100), kind=1), "not-a-profile", "an ELF object file (amd64), not built by Go"),
        (elf(b"UPX!" + bytes(100)), "not-a-profile", "packed with UPX: `upx -d FILE`"),
        (elf(bytes(100), kind=4), "not-a-profile", "dlv core"),
        (elf(bytes(100), promised=900), "cut-program", "cut off after 228 bytes (900 are missing)"),
        (b"\x7fELF and then nothing", "not-a-profile", "a program (ELF)"),
        (elf(table("zS3q.main")), "no-build-information", "without version and modules"),
    ],
)
def test_other_programs_are_named(data: bytes, key: str, says: str) -> None:
    reading = one(data)
    (problem,) = reading.problems
    assert problem.key == key
    assert says in problem_line(problem)
    assert parse(Capture("x", data))[0].problems == (problem,)  # no other reader finds something in it


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"MZ",
        b"MZ is how this line of a log begins\n" * 9,
        b"\xca\xfe\xba\xbe\0\0\0\x41\0\x1d\n\0\2\0\3",  # a Java class
        b"\xca\xfe\xba\xbe",
        b"\xcf\xfa\xed\xfe",
        b"goroutine 1 [running]:\nmain.main()\n",
    ],
)
def test_what_is_no_program_is_left_to_others(data: bytes) -> None:
    assert go_binary.read(data, DEFAULT) == ()


def test_a_program_of_which_the_end_is_missing() -> None:
    data = program("go1.26-linux-amd64-stripped")
    cut = one(data[:-4096])
    assert cut.build == SAID["go1.26-linux-amd64-stripped"]
    (problem,) = cut.problems
    assert (problem.key, problem.where) == ("cut-program", f"byte {len(data) - 4096}")
    mark = data.index(MARK)
    reading = one(data[: mark + 60])  # within the lines of the modules
    assert reading.build is not None
    assert (reading.build.go, reading.build.modules) == (SAID["go1.26-linux-amd64-stripped"].go, None)
    assert [problem.key for problem in reading.problems] == ["cut-program", "damaged-program"]
    assert "modules" not in reading.notes
    assert one(data[:mark]).problems[0].key == "cut-program"


def _survives(data: bytes | memoryview) -> None:
    begun = process_time()
    for reading in go_binary.read(data, DEFAULT):
        assert reading.build is not None or reading.problems
    go_binary.names(data, ["main.main", f"{PEN}.NewGate"])
    assert process_time() - begun < 1


@pytest.mark.parametrize("name", SYSTEMS)
def test_cut_anywhere_gives_a_value(name: str) -> None:
    data = memoryview(program(name))
    for end in (*range(0, 4096, 97), *range(4096, len(data), 99_707)):
        _survives(data[:end])


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_cut_at_every_997th_byte_gives_a_value(name: str) -> None:
    data = memoryview(program(name))
    for end in range(0, len(data), 997):
        _survives(data[:end])


@pytest.mark.parametrize("name", SYSTEMS)
def test_headers_that_lie_give_a_value(name: str) -> None:
    # Every number of the headers in turn is the largest there is, or small: offsets, sizes, counts.
    for start in range(4, 192, 4):
        for lie in (b"\xff\xff\xff\xff", b"\x10\0\0\0"):
            _survives(_with(program(name), start, lie))


@pytest.mark.parametrize("name", SYSTEMS)
def test_damage_anywhere_gives_a_value(name: str) -> None:
    data, chance = program(name), random.Random(7)
    told = [at.start() for at in re.finditer(rb"[^\0]", data)]
    for _ in range(60):
        _survives(_with(data, chance.choice(told), bytes([chance.randrange(256)])))
    for _ in range(30):  # the mark and what follows it
        _survives(_with(data, data.index(MARK) + chance.randrange(64), bytes([chance.randrange(256)])))


def _with(data: bytes, start: int, other: bytes) -> bytes:
    return b"".join((memoryview(data)[:start], other, memoryview(data)[start + len(other) :]))


def test_programs_that_are_nothing_but_marks_cost_no_time() -> None:
    _survives(elf((MARK + b"\x08\2" + b"\xff" * 16) * 20_000))
    _survives(elf((MARK + b"\x08\0" + bytes(range(16))) * 20_000))
    _survives(elf(struct.pack("<IBBBBQ", 0xFFFFFFF1, 0, 0, 1, 8, 1) * 50_000))
    _survives(elf(table("runtime.main", *["main.a"] * 50_000)))
    many = bytearray(elf(bytes(1 << 20)))
    many[56:58] = b"\xff\xff"  # 65,535 segments, each of which is the whole file
    many[64 : 64 + 56 * 18_000] = many[64:120] * 18_000
    _survives(bytes(many))


def test_a_large_program_is_not_copied(tmp_path: Path) -> None:
    size = 64 << 20
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.write(elf(b"", promised=size - 128))
        file.truncate(size)  # sparse
    with path.open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    tracemalloc.start()
    assert "not built by Go" in problem_line(one(data).problems[0])
    assert tracemalloc.get_traced_memory()[1] < 16 << 20
    tracemalloc.stop()


def test_inspect_tells_what_a_program_is(tmp_path: Path) -> None:
    path = tmp_path / "orders"
    path.write_bytes(program("go1.26-linux-amd64-stripped"))
    shown = oakum("inspect", path).out
    assert "build · go-binary · go1.26" in shown
    assert "1 module\n    example.com/shop (devel)\n    file: an ELF program (amd64)" in shown


def test_a_program_beside_captures_tells_their_build(tmp_path: Path) -> None:
    for name in ("goroutine.debug2.txt.gz", "heap.pb.gz"):
        (tmp_path / name).write_bytes((RECORDED / "go1.19.8" / name).read_bytes())
    alone = case([str(tmp_path)])
    (tmp_path / "orders.gz").write_bytes((BINARIES / "go1.19-linux-amd64.gz").read_bytes())
    beside = case([str(tmp_path)])
    assert (len(alone.processes), len(beside.processes)) == (1, 1)
    process = beside.processes[0]
    assert len(process.snapshots) == len(alone.processes[0].snapshots) == 1
    assert isinstance(process.build, Build)
    assert process.build.modules == {PEN: "(devel)"}


def _go_says(go: Path, path: Path) -> dict[str, Build | None]:
    """Return what `go version -m` says of each program in a directory."""
    told = subprocess.run([go, "version", "-m", path], env=toolchain.environment(), capture_output=True, check=False)
    return {reading.notes["program"]: reading.build for reading in build_text.read(told.stdout, DEFAULT)}


@pytest.mark.live
def test_gos_own_programs_are_told_as_go_tells_them() -> None:
    go = toolchain.need_go()
    told = _go_says(go, go.resolve().parents[1] / "bin") | _go_says(go, go.resolve().parents[1] / "pkg" / "tool")
    assert told
    for path, build in told.items():
        found = one(Path(path).read_bytes()).build
        assert build is not None
        assert found is not None
        # Text does not tell a program without modules from one that names none; cmd/go is not built in a module.
        assert (found.go, found.path, found.settings) == (build.go, build.path, build.settings)
        assert (found.modules or {}) == (build.modules or {})


@pytest.mark.live
@pytest.mark.slow
@pytest.mark.parametrize("release", ["1.19", "1.24.11", "1.26.6", "1.27.3"])
def test_builds_of_today_are_told_as_go_tells_them(release: str, tmp_path: Path) -> None:
    go = toolchain.need_go(release)
    systems = ("linux/amd64", "linux/s390x", "darwin/arm64", "windows/386")
    for system in systems:
        env = toolchain.environment() | {"CGO_ENABLED": "0"}
        env["GOOS"], env["GOARCH"] = system.split("/")
        flags = ["-trimpath", "-ldflags=-s -w"] if env["GOARCH"] != "amd64" else []
        out = tmp_path / system.replace("/", "-")
        subprocess.run([go, "build", *flags, "-o", out, "."], cwd=ORDERS, env=env, check=True)
    told = _go_says(go, tmp_path)
    assert len(told) == len(systems)
    for path, build in told.items():
        data = Path(path).read_bytes()
        assert one(data).build == build
        assert linked_in(data, LINKED | ABSENT) == LINKED
