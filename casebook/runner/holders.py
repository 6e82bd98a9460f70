"""`holders CASE`: build and run a case, and keep what holds its heap: casebook/CASE/holders/BUILD/N-MOMENT/.

The program is built with one file more (an overlay), which writes a heap dump at SIGUSR2, after a collection. Of the
dump only the tree of holders is kept, as `oakum holders --proto` writes it: names and sizes, some KB. Beside it lie the
heap profile and the goroutines of the same moment.
"""

import json
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from casebook.runner import build as building
from casebook.runner.case import Build, Case
from casebook.runner.record import SCRATCH
from casebook.runner.stage import RunFailed, Stage
from casebook.runner.tools import toolchain
from oakum.parse import heapdump
from oakum.parse.limits import DEFAULT
from oakum.views.proto import encode

# In package main of the program, while it is built for this alone.
WRITER = """package main

import (
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
)

func init() {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR2)
	go func() {
		for range asked {
			runtime.GC()
			runtime.GC()
			file, err := os.Create(os.Getenv("HOME") + "/heap.writing")
			if err != nil {
				continue
			}
			debug.WriteHeapDump(file.Fd())
			file.Close()
			os.Rename(file.Name(), os.Getenv("HOME")+"/heap.dump")
		}
	}()
}
"""
KEPT = ("holders.pb.gz", "heap.pb.gz", "goroutine.debug2.txt", "goroutine.debug2.txt.gz")
SECONDS = 30.0


class Held(Stage):
    """A run whose snapshots have what holds the heap."""

    def snapshot(self, name: str, *, gc: bool = False) -> None:
        """Capture a snapshot, and a heap dump of each process after it."""
        super().snapshot(name, gc=gc)
        for process in self._processes:
            row = next(row for row in reversed(self._snapshots) if row["process"] == process.name)
            dump = self.folder / "heap.dump"
            dump.unlink(missing_ok=True)
            process.running.send_signal(signal.SIGUSR2)
            end = time.monotonic() + SECONDS
            while not dump.exists():
                if time.monotonic() > end:
                    raise RunFailed(f"{process.name} wrote no heap dump within {SECONDS:.0f} s:\n{process.tail()}")
                time.sleep(0.05)
            program = Path(self.program()).read_bytes()
            (found,) = heapdump.read(dump.read_bytes(), DEFAULT, program)
            if found.profile is None or found.problems:
                raise RunFailed(f"{process.name}: its heap dump could not be read: {found.problems}")
            (self._out / row["folder"] / "holders.pb.gz").write_bytes(encode(found.profile))


def compiled(case: Case, build: Build, folder: Path, go: str | None) -> dict[str, Path]:
    """Return the programs of a build that write heap dumps."""
    compiler = toolchain.go(go)
    writer, overlay = folder / "writer.go", folder / "overlay.json"
    writer.write_text(WRITER)
    made = {}
    for package in case.packages:
        added = case.folder / package / "heap_dump_writer.go"
        overlay.write_text(json.dumps({"Replace": {str(added.resolve()): str(writer)}}))
        program = folder / building.program_name(case, package)
        command = [
            str(compiler),
            "build",
            "-mod=readonly",
            "-trimpath",
            f"-overlay={overlay}",
            f"-modfile={build.modfile}",
        ]
        env = toolchain.environment() | {"CGO_ENABLED": "0"}
        building._compile([*command, "-o", str(program), package], case.folder, env)
        made[program.name] = program
    return made


def hold(case: Case, build: Build, go: str | None = None) -> Iterator[str]:
    """Run one build of a case, shortened; yield a line about what was kept of it."""
    with tempfile.TemporaryDirectory(prefix="cb-", dir=SCRATCH) as scratch:
        folder, out = Path(scratch) / "run", Path(scratch) / "out"
        for place in (folder, out):
            place.mkdir()
        stage = Held(case, build, compiled(case, build, Path(scratch), go), folder, out, short=True)
        stage.play()
        kept = case.folder / "holders" / build.name
        shutil.rmtree(kept, ignore_errors=True)
        size = 0
        for path in sorted(out.rglob("*")):
            if path.name in KEPT:
                # with one process, the moments lie below its name
                target = kept / path.relative_to(out).parent.name / path.name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
                size += path.stat().st_size
    yield f"{case.name}/{build.name}: {len(list(kept.iterdir()))} moments, {size >> 10} KiB"


__all__ = ["hold"]
