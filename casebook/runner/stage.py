"""A run of a case: starts its processes on loopback, loads them, takes snapshots, and stops everything again.

Comes in: a case, a build of it and its executables. Goes out: folders of snapshots, a manifest. In a short run (live,
in CI) the load is as large but quicker, and rests are cut; recordings take their time, so that ages show. A run that is
given up (its limit, Ctrl-C) loses its processes, and whatever waits for them comes back with an error.
"""

import contextlib
import gzip
import hashlib
import http.client
import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from casebook.runner.case import BadCase, Build, Case, Send
from casebook.runner.fetch import FetchFailed, Tls, get
from casebook.runner.load import Client

# What is asked of every process with pprof, in this order: the heap before the goroutines, since reading those
# allocates; debug=2 last, since it stops the world longest.
PROFILES = (
    ("heap.pb.gz", "heap"),
    ("heap.debug1.txt", "heap?debug=1"),
    ("goroutine.pb.gz", "goroutine"),
    ("goroutine.debug1.txt", "goroutine?debug=1"),
    ("goroutine.debug2.txt", "goroutine?debug=2"),
)
# Taken once, after everything else: it marks the goroutines it proves in every later dump. Its debug=2 is such a dump,
# a second one of the same snapshot, and is left out.
PROOF = ("goroutineleak.pb.gz", "goroutineleak")
# Texts above this size are stored gzipped.
PLAIN = 2_000
READY_SECONDS = 30.0
# A short run allocates little; heap samples as dense as this show what it holds, not what chance picked of it.
DENSE = {"GODEBUG": "memprofilerate=16384"}
# A port that was handed out and is not listened on yet looks free to the next one who asks.
_handed_out: set[int] = set()
_running: set["Stage"] = set()


class RunFailed(Exception):
    """A case did not run as it says; the message tells what happened."""


@dataclass(slots=True, eq=False)
class Process:
    """One process of a run, and where its evidence comes from."""

    name: str
    running: subprocess.Popen[bytes]
    log: Path
    pprof: str = ""
    metrics: str = ""
    tls: Tls | None = None
    dump_on: signal.Signals | None = None
    read: int = 0  # so much of the log was kept with earlier snapshots

    @property
    def pid(self) -> int:
        """Return its process id."""
        return self.running.pid

    def tail(self) -> str:
        """Return the end of its log, for a message."""
        return self.log.read_text(errors="replace")[-2000:]


class Stage:
    """What a scenario acts on."""

    def __init__(
        self, case: Case, build: Build, programs: Mapping[str, Path], folder: Path, out: Path, *, short: bool = False,
        limit: float | None = None,
    ) -> None:  # fmt: skip
        self.case = case
        self.build = build.name
        self.flags = build.flags
        self.short = short
        self.folder = folder  # scratch
        self.sent: Counter[str] = Counter()  # "GET /quote/" -> requests so far
        self._programs = programs
        self._out = out
        self._processes: list[Process] = []
        self._clients: dict[str, Client] = {}
        self._snapshots: list[dict[str, Any]] = []
        self._began = datetime.now(UTC)
        self._limit = limit  # seconds; None: as long as it takes
        self._over = threading.Event()
        self._why = ""  # it was given up

    # -- for scenarios

    def program(self, name: str = "") -> str:
        """Return the path of a program of the case."""
        return str(self._programs[name or self.case.service])

    def free_port(self) -> int:
        """Return a port of loopback that nobody listens on."""
        while True:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port: int = probe.getsockname()[1]
            if port not in _handed_out:
                _handed_out.add(port)
                return port

    def start(
        self, name: str, command: Sequence[str], *, pprof: str = "", metrics: str = "", tls: Tls | None = None,
        dump_on: signal.Signals | None = None, env: Mapping[str, str] | None = None, ready: str = "",
    ) -> Process:  # fmt: skip
        """Start a process and wait until its pprof (or the URL `ready`) answers.

        Its log is both of its streams. Nothing of this machine's environment reaches it but PATH.
        """
        self._go_on()
        log = self.folder / f"{name}.log"
        surroundings = {"PATH": os.environ.get("PATH", ""), "HOME": str(self.folder)}
        surroundings |= {**(DENSE if self.short else {}), **(env or {})}
        with log.open("ab") as written:
            try:
                running = subprocess.Popen(
                    [str(word) for word in command], cwd=self.folder, env=surroundings, start_new_session=True,
                    stdin=subprocess.DEVNULL, stdout=written, stderr=written,
                )  # fmt: skip
            except OSError as error:
                raise RunFailed(f"{name} does not start: {error}; is it installed?") from None
        process = Process(name, running, log, pprof.rstrip("/"), metrics, tls, dump_on)
        self._processes.append(process)
        if asked := ready or (f"{process.pprof}/" if pprof else ""):
            self.until(lambda: bool(get(asked, tls, 2.0)), f"{name} does not answer at {asked}", process=process)
        return process

    def until(
        self, done: Callable[[], bool], otherwise: str, seconds: float = READY_SECONDS, process: Process | None = None
    ) -> None:
        """Wait until something is so; raise RunFailed with these words when it does not become so."""
        end = time.monotonic() + seconds
        while True:
            self._go_on()
            with contextlib.suppress(FetchFailed, OSError):
                if done():
                    return
            if process and process.running.poll() is not None:
                raise RunFailed(f"{process.name} ended with {process.running.returncode}:\n{process.tail()}")
            if time.monotonic() > end:
                raise RunFailed(f"{otherwise} within {seconds:.0f} s{f':{chr(10)}{process.tail()}' if process else ''}")
            time.sleep(0.1)

    def load(
        self, base: str, *sends: Send, seconds: float, connections: int | None = None, timeout: float = 10.0,
        drop: int = 0,
    ) -> None:  # fmt: skip
        """Send requests, spread over the seconds; the connections stay open afterwards."""
        client = self._clients.setdefault(base, Client(base, self.sent, self._over))
        if drop:
            client.drop(drop)
        client.run(sends, self._pace(seconds, bool(sends)), connections, timeout)
        self._go_on()

    def rest(self, seconds: float) -> None:
        """Let time pass."""
        self._over.wait(self._pace(seconds, False))
        self._go_on()

    def _pace(self, seconds: float, loaded: bool) -> float:
        if not self.short:
            return seconds
        return seconds / 4 if loaded else min(seconds, 3.0)

    def snapshot(self, name: str, *, gc: bool = False) -> None:
        """Capture everything that every process offers, as one snapshot."""
        self._go_on()
        order = 1 + len({row["moment"] for row in self._snapshots})
        for process in [*self._processes]:
            if not (process.pprof or process.metrics or process.dump_on):
                continue
            if process.running.poll() is not None:
                raise RunFailed(f"{process.name} ended with {process.running.returncode}:\n{process.tail()}")
            row: dict[str, Any] = {
                "moment": name, "process": process.name, "folder": f"{process.name}/{order}-{name}",
                "at": datetime.now(UTC).isoformat(timespec="milliseconds"), "requests": dict(sorted(self.sent.items())),
                "connections": sum(client.connections for client in self._clients.values()),
                "held": sum(client.held for client in self._clients.values()),
            }  # fmt: skip
            self._snapshots.append(row)
            folder = self._out / row["folder"]
            if process.pprof:
                for file, asked in PROFILES:
                    forced = f"{'&' if '?' in asked else '?'}gc=1" if gc and asked.startswith("heap") else ""
                    self._write(folder / file, get(f"{process.pprof}/{asked}{forced}", process.tls))
            if process.metrics:
                self._write(folder / "metrics.txt", get(process.metrics, process.tls))
            self._write(folder / "process.status.txt", Path(f"/proc/{process.pid}/status").read_bytes())
            if process.dump_on:
                self._write(folder / "log.txt", self._dumped(process))

    def _dumped(self, process: Process) -> bytes:
        """Send the signal and return what the process then wrote, once it has stopped writing for a second.

        One that never stops writing has written its dump by the end of the usual patience.
        """
        before = process.log.stat().st_size
        process.running.send_signal(process.dump_on or signal.SIGUSR1)
        self.until(lambda: process.log.stat().st_size > before, f"{process.name} wrote no dump", process=process)
        size, end = -1, time.monotonic() + READY_SECONDS
        while size != (size := process.log.stat().st_size) and time.monotonic() < end:
            self._over.wait(1.0)
        written = process.log.read_bytes()[process.read : size]
        process.read = size
        return written

    def keep(self, name: str, data: bytes | str) -> None:
        """Keep other evidence beside the snapshots."""
        self._write(self._out / name, data.encode() if isinstance(data, str) else data)

    # -- for the runner

    def play(self) -> None:
        """Run the case from beginning to end, within its limit."""
        watch = threading.Timer(self._limit or 0, self.give_up, (f"it ran longer than its {self._limit or 0:.0f} s",))
        watch.daemon = True
        _running.add(self)
        try:
            if self._limit is not None:
                watch.start()
            if self.case.scenario.exists():
                _scenario(self.case.scenario)(self)
            else:
                self._usual()
            self._prove()
            self._go_on()
            for process in self._processes:
                if not process.dump_on:
                    self._write(self._out / process.name / "log.txt", process.log.read_bytes())
        except (RunFailed, FetchFailed, OSError, http.client.HTTPException, subprocess.SubprocessError) as error:
            if isinstance(error, RunFailed) and not self._why:
                raise
            last = self._processes[-1].tail() if self._processes else ""
            raise RunFailed(f"{self._why or error}\n{last}".strip()) from None
        finally:
            watch.cancel()
            self.stop()
            _running.discard(self)

    def give_up(self, why: str) -> None:
        """End the run from another thread: its processes go now, and the thread that plays it gets RunFailed."""
        self._why = self._why or why
        self._over.set()
        self._kill()

    def _go_on(self) -> None:
        if self._over.is_set():
            self._kill()  # also what was started at the last moment
            raise RunFailed(self._why)

    def _usual(self) -> None:
        """Run the phases of case.toml on the one program of the case."""
        case = self.case
        base, admin = f"http://127.0.0.1:{self.free_port()}", ""
        command = [self.program(), "-listen", base.removeprefix("http://"), *self.flags]
        if "{admin}" in self.flags:  # pprof on a port of its own
            admin = f"127.0.0.1:{self.free_port()}"
            command = [admin if word == "{admin}" else word for word in command]
        inside = f"http://{admin}" if admin else base
        self.start(
            case.service,
            command,
            pprof=f"{inside}{case.pprof}",
            metrics=f"{inside}{case.metrics}" if case.metrics else "",
        )
        for phase in case.phases:
            self.load(
                base, *phase.send, seconds=phase.seconds, connections=phase.connections, timeout=phase.timeout,
                drop=phase.drop,
            )  # fmt: skip
            self.snapshot(phase.snapshot, gc=phase.gc)

    def _prove(self) -> None:
        """Take Go's own goroutineleak profile where the program has it, into the last snapshot."""
        last = {row["process"]: row for row in self._snapshots}
        for process in self._processes:
            if not process.pprof or process.name not in last:
                continue
            file, asked = PROOF
            try:
                proof = get(f"{process.pprof}/{asked}", process.tls)
            except FetchFailed as error:
                if error.status != http.client.NOT_FOUND:
                    raise
                continue  # this Go has none
            self._write(self._out / last[process.name]["folder"] / file, proof)

    def stop(self) -> None:
        """End all clients and processes."""
        try:
            for client in self._clients.values():
                client.close()
        finally:
            self._kill()
            for process in reversed(self._processes):
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.running.wait(READY_SECONDS)

    def _kill(self) -> None:
        for process in reversed([*self._processes]):
            # The whole group: a program may have ended and left others behind.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    def _write(self, path: Path, data: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        # A name that says it is packed is served packed; all other texts are packed here when they are long.
        if len(data) > PLAIN and data[:2] != b"\x1f\x8b":
            path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(data, 9, mtime=0))
        else:
            path.write_bytes(data)

    def manifest(self, **facts: str) -> dict[str, Any]:
        """Return what was taken, when and after how much work, with a digest of each file."""
        files = {
            str(path.relative_to(self._out)): f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
            for path in sorted(self._out.rglob("*"))
            if path.is_file() and path.name != "manifest.json"
        }
        began = self._began.isoformat(timespec="milliseconds")
        return {"schema": "oakum.recording/1", "began": began, **facts, "moments": self._snapshots, "files": files}

    def write_manifest(self, **facts: str) -> None:
        """Write the manifest beside the evidence; one process alone needs no folder of its own."""
        processes = {row["process"] for row in self._snapshots}
        if len(processes) == 1:
            (alone,) = processes
            for path in (self._out / alone).iterdir():
                shutil.move(path, self._out / path.name)
            (self._out / alone).rmdir()
            for row in self._snapshots:
                row["folder"] = row["folder"].removeprefix(f"{alone}/")
        text = json.dumps(self.manifest(**facts), indent=1, ensure_ascii=False)
        (self._out / "manifest.json").write_text(f"{text}\n", encoding="utf-8")


def give_up_all(why: str) -> None:
    """Give up every run of this program, whichever thread plays it."""
    for stage in [*_running]:
        stage.give_up(why)


def _scenario(path: Path) -> Callable[[Stage], None]:
    """Return the function `run` of a scenario."""
    spec = importlib.util.spec_from_file_location(f"casebook_scenario_{path.parent.name.replace('-', '_')}", path)
    if spec is None or spec.loader is None:
        raise BadCase(f"{path.parent.name}/scenario.py cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    run: Callable[[Stage], None] = module.run
    return run


__all__ = ["Process", "RunFailed", "Send", "Stage", "Tls", "give_up_all"]
