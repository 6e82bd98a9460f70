"""Record tests/testdata/binaries again: the program in orders/ as many releases of Go build it, for many systems.

A program has megabytes; it is hollowed: its headers, what tells of its build and a few names of functions are kept,
everything else is zero. `binaries.py NAME=FILE...` hollows programs of others instead. Goes out: NAME.gz, and
versions.txt, what Go says of each. Refuses a program of which Go, or Oakum, says something else once it is hollow.
"""

import gzip
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import toolchain  # noqa: E402  (run as a script, its folder is not on the path before the line above)
from oakum.parse import go_binary  # noqa: E402
from oakum.parse.binaries import build_info, function_names  # noqa: E402
from oakum.parse.binaries.image import Image, places  # noqa: E402
from oakum.parse.limits import DEFAULT  # noqa: E402

RECORDED = HERE.parent / "testdata" / "binaries"
# Where it is built, so that no path of a developer is recorded.
YARD = Path("/opt/orders")
HEADERS = 4096
# release of Go, system, processor, flags
BUILDS = (
    ("1.13", "linux", "amd64"),
    ("1.13", "linux", "386"),
    ("1.13", "darwin", "386"),
    ("1.14", "windows", "386"),
    ("1.15", "linux", "s390x"),
    ("1.15", "linux", "amd64", "-buildmode=pie"),
    ("1.15", "darwin", "amd64"),
    ("1.16", "linux", "arm64"),
    ("1.16", "darwin", "arm64"),
    ("1.17", "windows", "amd64", "-trimpath", "-ldflags=-s -w"),
    ("1.18", "linux", "amd64"),
    ("1.19", "linux", "amd64"),
    ("1.19", "linux", "mips"),
    ("1.19", "darwin", "amd64"),
    ("1.19", "windows", "386"),
    ("1.26", "linux", "amd64", "-trimpath", "-ldflags=-s -w"),
    ("1.26", "linux", "386"),
    ("1.26", "darwin", "amd64"),
    ("1.26", "darwin", "arm64"),
    ("1.26", "windows", "amd64"),
    ("1.27", "linux", "arm64"),
    ("1.27", "linux", "s390x"),
    ("1.27", "linux", "amd64", "-buildmode=pie"),
    ("1.27", "darwin", "arm64", "-ldflags=-s -w"),
    ("1.27", "windows", "386"),
)
# Functions that the tests ask for, and their neighbours.
KEPT = re.compile(
    rb"(?:main\.|example\.org/|runtime\.main\0|runtime\.goexit\0|github\.com/spf13/cobra\.\(\*Command\)\.Execute)[^\0]*\0"
)
VERSION = re.compile(rb"go1\.\d+(?:\.\d+)?")


def build(release: str, system: str, processor: str, *flags: str) -> tuple[str, bytes]:
    """Return the name of a build and the program."""
    old = int(release.split(".")[1]) < 18
    compiler = Path(f"/usr/lib/go-{release}/bin/go") if old else toolchain.go(release)
    if not compiler.exists():
        raise SystemExit(f"Go {release} is not installed in {compiler.parents[1]}, where golang-{release}-go puts it")
    env = toolchain.environment() | {"GOOS": system, "GOARCH": processor, "CGO_ENABLED": "0", "GOPATH": f"{YARD}/go"}
    if old:
        env |= {"GOFLAGS": "", "GOENV": "off"}  # it knows nothing of -buildvcs
    program = YARD / "program"
    subprocess.run([compiler, "build", *flags, "-o", program, "."], cwd=YARD / "orders", env=env, check=True)
    kind = "-stripped" if "-ldflags=-s -w" in flags else "-pie" if "-buildmode=pie" in flags else ""
    return f"go{release}-{system}-{processor}{kind}", program.read_bytes()


def universal(*programs: bytes) -> bytes:
    """Return a universal file of macOS, as lipo makes it: big-endian, each program on a boundary of 16 KiB."""
    table, body, start = b"", b"", 1 << 14
    for program in programs:
        table += program[7:3:-1] + program[11:7:-1]  # the processor and its variant, which lie the other way round
        table += start.to_bytes(4, "big") + len(program).to_bytes(4, "big") + (14).to_bytes(4, "big")
        body += program + bytes(-len(program) % (1 << 14))
        start = (1 << 14) + len(body)
    head = b"\xca\xfe\xba\xbe" + len(programs).to_bytes(4, "big") + table
    return head + bytes((1 << 14) - len(head)) + body


def hollow(data: bytes) -> bytes:
    """Return the program with zeros in place of everything that is not read, or not asked for."""
    kept = bytearray(len(data))
    for image in go_binary._images(data):
        for start, end in _wanted(image, data):
            kept[max(0, start) : end] = data[max(0, start) : end]
    return bytes(kept)


def _wanted(image: Image, data: bytes) -> Iterator[tuple[int, int]]:
    yield 0, HEADERS
    begin = min(part.start for part in image.loaded)  # 0, but in a universal file
    yield begin, begin + HEADERS
    if data[:4] == b"\x7fELF":
        table = image.number(data[40:48] if image.word == 8 else data[32:36])
        yield table, table + 4096
        if names := image.part(".shstrtab"):
            yield names.start, names.end
    if data[:2] == b"MZ":  # Go looks up the long names of sections there
        header = image.number(data[60:64])
        names_at = image.number(data[header + 12 : header + 16]) + 18 * image.number(data[header + 16 : header + 20])
        yield names_at, names_at + 512
    pointed = set()
    for start in places(data, build_info._BEFORE, image.ranges()):
        pointed.add(start)
        yield start, data.index(build_info._AFTER, start) + 16
    for start in places(data, build_info._MARK, image.ranges(writable=True)):
        yield start, start + 64  # the strings that may follow are found by what they are
    told = build_info.read(image)
    if told is None or told.version is None:
        return
    for start in places(data, told.version.encode(), image.ranges()):
        pointed.add(start)
        yield start, start + len(told.version)
    yield from _headers_of_strings(image, data, pointed)
    yield from _names(image, data)


def _headers_of_strings(image: Image, data: bytes, pointed: set[int]) -> Iterator[tuple[int, int]]:
    """Yield where the addresses of these strings stand, each with a length after it."""
    for start in pointed:
        for part in image.loaded:
            if part.start <= start < part.end:
                address = (part.address + start - part.start).to_bytes(image.word, image.order)
                yield from ((at, at + 2 * image.word) for at in places(data, address, image.ranges(writable=True)))


def _names(image: Image, data: bytes) -> Iterator[tuple[int, int]]:
    header = function_names._header(image)
    table = function_names._names(image)
    assert header
    assert table
    start, _, words = header
    yield start, start + 8 + 8 * image.word
    functions = start + 8 + image.word + 2 * image.word * words[0] + image.word
    yield functions, functions + 4  # before Go 1.16, where the table of files begins
    begin = data.index(table.text, start)
    for found in KEPT.finditer(table.text):
        yield begin + found.start() - 16, begin + found.end()


def keep(name: str, data: bytes) -> None:
    """Write a hollow program and what Go says of it."""
    small = hollow(data)
    said = [_go_says(name, data), _go_says(name, small)]
    read = [
        (r.build, go_binary.names(d, ("main.main", "runtime.main")))
        for d in (data, small)
        for r in go_binary.read(d, DEFAULT)
    ]
    if said[0] != said[1] or read[0] != read[1]:
        raise SystemExit(f"{name}: hollow, it tells something else:\n{said}\n{read}")
    for path in (HERE.parents[1], Path.home(), YARD):
        if os.fsencode(path) in small:
            raise SystemExit(f"{name} names {path}")
    (RECORDED / f"{name}.gz").write_bytes(gzip.compress(small, 9, mtime=0))
    listing = RECORDED / "versions.txt"
    listing.touch()
    listed = dict(re.findall(r"^(\S+): (.*\n(?:\t.*\n)*)", listing.read_text(), re.MULTILINE)) | {name: said[0]}
    listing.write_text("".join(f"{one}: {listed[one]}" for one in sorted(listed) if listed[one]))


def _go_says(name: str, data: bytes) -> str:
    program = YARD / name
    program.write_bytes(data)
    program.chmod(0o755)
    told = subprocess.run([toolchain.go(), "version", "-m", program], capture_output=True, text=True, check=False)
    return told.stdout.removeprefix(f"{program}: ")  # "" for Go 1.12, whose programs it does not read


def main() -> None:
    """Record every build, or hollow the programs that are named on the command line."""
    if YARD.exists():
        raise SystemExit(f"{YARD} exists: it is made here and removed afterwards")
    YARD.mkdir()
    RECORDED.mkdir(exist_ok=True)
    try:
        if len(sys.argv) > 1:
            for argument in sys.argv[1:]:
                name, _, path = argument.partition("=")
                keep(name, Path(path).read_bytes())
            return
        for folder in ("orders", "pen.v2"):
            shutil.copytree(HERE / folder, YARD / folder)
        programs = dict(build(*one) for one in BUILDS)
        both = universal(programs["go1.26-darwin-arm64"], programs["go1.26-darwin-amd64"])
        for name, program in (programs | {"go1.26-darwin-universal": both}).items():
            keep(name, program)
    except toolchain.Missing as reason:
        raise SystemExit(str(reason)) from None
    finally:
        shutil.rmtree(YARD)


if __name__ == "__main__":
    main()
