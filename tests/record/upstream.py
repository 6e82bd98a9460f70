"""Record tests/upstream/captures again: small programs with upstream modules that leak, and with versions that do not.

Comes in: tests/upstream/upstream.toml and the programs that it names; the modules come from the module proxy. Goes out:
one folder for each variant, with its build and what it served at four snapshots: three under load, one long after.
Refuses to keep a file that names a path of this machine.
"""

import argparse
import gzip
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.request
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import toolchain  # noqa: E402  (run as a script, its folder is not on the path before the line above)
from oakum.model import Strings  # noqa: E402
from oakum.parse import pprof  # noqa: E402
from oakum.views.proto import encode  # noqa: E402

UPSTREAM = HERE.parent / "upstream"
# Seconds after the start. The load ends shortly after the third; at the last, what is in use only for a while is gone.
SNAPSHOTS = {"1-early": 12, "2-later": 60, "3-last": 115, "4-after": 197}
LOAD = "118s"
ATTEMPTS = 3


@dataclass(frozen=True)
class Variant:
    """One way to build and to use a program; `memory`: the leak shows in the heap, which is kept too."""

    program: str
    name: str
    modules: tuple[str, ...]
    go: str
    language: str
    flags: tuple[str, ...] = ()
    mode: str = "leak"
    memory: bool = False


def variants(table: Mapping[str, Any]) -> list[Variant]:
    """Return what the table asks for."""
    return [
        Variant(
            program, name, tuple(one["modules"]), one["go"], one["language"], tuple(one.get("flags", ())),
            one.get("mode", "leak"), told.get("memory", False),
        )
        for program, told in table.items()
        for name, one in told["variants"].items()
    ]  # fmt: skip


class Paths:
    """The folders of this machine, and what stands in a recording in their place."""

    def __init__(self, folders: Mapping[Path | str, str]) -> None:
        # The longest first: a module cache may lie in the home, a build in the folder for temporary files.
        self._names = sorted(
            ((os.fsencode(path), name.encode()) for path, name in folders.items()), key=lambda one: -len(one[0])
        )

    def cleaned(self, content: bytes) -> bytes:
        """Return a text without the folders of this machine."""
        for path, name in self._names:
            content = content.replace(path, name)
        return content

    def cleaned_profile(self, content: bytes) -> bytes:
        """Return a profile without the folders of this machine."""
        read = pprof.read(gzip.decompress(content))
        if read is None or read.profile is None:
            raise SystemExit("the program served something that is no profile")
        old = read.profile
        strings = Strings.of(self.cleaned(old.strings.raw(row)) for row in range(len(old.strings)))
        mappings = tuple(replace(one, file=self.cleaned(one.file.encode()).decode()) for one in old.mappings)
        return encode(replace(old, strings=strings, mappings=mappings), compress=False)


def keep(content: bytes, path: Path) -> None:
    """Write what was recorded, gzipped; refuse what still names a path of this machine."""
    foreign = (HERE.parents[1], Path.home(), Path(tempfile.gettempdir()))
    for folder in foreign:
        if str(folder) != "/" and os.fsencode(f"{folder}/") in content:
            raise SystemExit(f"{path} names {folder}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content, 9, mtime=0))


def _ask(compiler: Path, *words: str, folder: Path) -> str:
    command: list[str | Path] = [compiler, *words]
    done = subprocess.run(command, cwd=folder, env=toolchain.environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{folder.name}: go {' '.join(words)} failed:\n{done.stderr[-1500:]}")
    return done.stdout.strip()


def build(variant: Variant, folder: Path) -> Paths:
    """Build the program in this folder; return what its recordings must not name."""
    compiler = toolchain.go(variant.go)
    folder.mkdir(parents=True)
    for name in ("harness", variant.program):
        shutil.copy(UPSTREAM / "programs" / f"{name}.go", folder)
    (folder / "go.mod").write_text(f"module example.org/{variant.program}\n\ngo {variant.language}\n")
    toolchain.download([str(compiler), "get", *variant.modules], folder)
    toolchain.download([str(compiler), "mod", "tidy", "-e"], folder)
    if "-mod=vendor" in variant.flags:
        toolchain.download([str(compiler), "mod", "vendor"], folder)
    _ask(compiler, "build", *variant.flags, "-o", "app", ".", folder=folder)
    return Paths(
        {
            folder: f"/srv/{variant.program}",
            _ask(compiler, "env", "GOMODCACHE", folder=folder): "/go/pkg/mod",
            _ask(compiler, "env", "GOROOT", folder=folder): "/usr/local/go",
        }
    )


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


def _served(url: str) -> bytes:
    for _ in range(ATTEMPTS):
        try:
            with urllib.request.urlopen(url, timeout=30) as answer:
                content: bytes = answer.read()
                return content
        except OSError:  # a loaded machine; the program may still be starting
            time.sleep(1)
    raise SystemExit(f"{url} does not answer")


def record(variant: Variant, folder: Path, paths: Paths, out: Path) -> None:
    """Run the program that was built in the folder; write what it serves at each snapshot."""
    port = _free_port()
    env = os.environ | {"ADDR": f"127.0.0.1:{port}", "MODE": variant.mode, "LOAD": LOAD, "TMPDIR": str(folder)}
    shutil.rmtree(out, ignore_errors=True)
    built = _ask(toolchain.go(variant.go), "version", "-m", "app", folder=folder)
    keep(paths.cleaned(f"{built}\n".encode()), out / "buildinfo.txt.gz")
    with subprocess.Popen(
        [folder / "app"], cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        begin = time.monotonic()
        try:
            for snapshot, after in SNAPSHOTS.items():
                time.sleep(max(0.0, begin + after - time.monotonic()))
                served = f"http://127.0.0.1:{port}/debug/pprof"
                dump = _served(f"{served}/goroutine?debug=2")
                keep(paths.cleaned(dump), out / snapshot / "goroutine.debug2.txt.gz")
                if variant.memory:
                    heap = _served(f"{served}/heap?gc=1")
                    keep(paths.cleaned_profile(heap), out / snapshot / "heap.pb.gz")
        finally:
            process.kill()


def main() -> None:
    """Record every program, or those named on the command line."""
    parser = argparse.ArgumentParser(description="Record known leaks with upstream modules.")
    parser.add_argument("names", nargs="*", metavar="PROGRAM[/VARIANT]", help="what to record; without: everything")
    parser.add_argument("--out", type=Path, default=UPSTREAM / "captures", help="where the captures go")
    asked = parser.parse_args()
    table = variants(tomllib.loads((UPSTREAM / "upstream.toml").read_text()))
    wanted = [one for one in table if not asked.names or {one.program, f"{one.program}/{one.name}"} & set(asked.names)]
    if not wanted:
        parser.error("upstream.toml has no such program")
    with tempfile.TemporaryDirectory(prefix="upstream-") as made:
        folders = [Path(made, one.program, one.name) for one in wanted]
        try:
            paths = [build(one, folder) for one, folder in zip(wanted, folders, strict=True)]
        except toolchain.Missing as reason:
            raise SystemExit(str(reason)) from None
        outs = [asked.out / one.program / one.name for one in wanted]
        with ThreadPoolExecutor(len(wanted)) as together:  # they wait most of the time
            list(together.map(record, wanted, folders, paths, outs))


if __name__ == "__main__":
    main()
