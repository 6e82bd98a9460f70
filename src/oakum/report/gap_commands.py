"""What was not checked -> the command that would settle it, for the process and the evidence that it is about.

A diagnosis that was stored has its commands; they are shown as they were written.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence

from oakum.model import Diagnosis, Gap
from oakum.regex import regex
from oakum.report.words import word

# http://10.0.0.7:6060    https://shop.example/debug/pprof/    http://10.0.0.7:6060/debug/pprof/heap
_SERVER = regex(r"(https?://[\w.:\[\]-]+)(?:/|/debug/pprof(?:/\w*)?)?")
# What runs and can be asked again; files and stores of the past cannot.
_RUNS = ("http://", "https://", "https+insecure://", "unix://", "kube://", "pid:")
_REMARK = "  # "
_PEER = "curl -so peer.goroutine.debug2.txt 'http://PEER:PORT/debug/pprof/goroutine?debug=2'"
# What the process that was captured while it ran is asked again for, and how.
_ASK_AGAIN: Mapping[str, tuple[str, ...]] = {"second-moment": (), "after-load": (), "ages": ("--force",)}


def gap_command(diagnosis: Diagnosis, gap: Gap, lang: str = "en") -> str:
    """Return the command that would settle a gap, with when to run it behind its #; "" where there is none."""
    key = gap.what.key.removeprefix("gap.")
    command = gap.command or _written(diagnosis, gap, key)
    if not command or key != "after-load":
        return command
    return f"{command.partition(_REMARK)[0]}{_REMARK}{word('command.after-load', lang)}"


def _written(diagnosis: Diagnosis, gap: Gap, key: str) -> str:
    write = _COMMANDS.get(key)
    if write is None:
        return ""
    if diagnosis.target and key in _ASK_AGAIN:
        return shlex.join(["oakum", "diagnose", *_ASK_AGAIN[key], diagnosis.target])
    address = next((row.address for row in diagnosis.processes if row.id == gap.process), "")
    if key == "second-moment":
        kind = next((row.kind for row in diagnosis.inputs if row.origin == gap.about), "goroutine")
        return _second_snapshot(gap.about, kind, address)
    return _with_evidence(write(gap, address), diagnosis.called)


def _with_evidence(command: str, called: Sequence[str]) -> str:
    """Return the command with the words that named the evidence; standard input cannot be read again."""
    if not called or "-" in called:
        return command
    # Source that was given did not have it: another directory is to be named.
    words = shlex.join(word for word in _without_source(called) if word not in ("--no-source", "--fetch-source"))
    return command.replace(" EVIDENCE", f" {words}")


def _without_source(words: Sequence[str]) -> list[str]:
    left = iter(words)
    return [word for word in left if word != "--source" or not next(left, "")]


def _again(address: str) -> str:
    return shlex.quote(address) if address.startswith(_RUNS) else ""


def _fetch(profile: str, file: str) -> Callable[[Gap, str], str]:
    """Return what fetches one profile: by curl where its server is known or nothing is, else by oakum."""

    def write(_: Gap, address: str) -> str:
        server = _SERVER.fullmatch(address)
        if server is None and _again(address):
            return f"oakum capture {_again(address)}"
        return f"curl -so {file} '{server[1] if server else 'http://HOST:PORT'}/debug/pprof/{profile}'"

    return write


_dump = _fetch("goroutine?debug=2", "goroutine.debug2.txt")


def _second_snapshot(about: str, kind: str, address: str) -> str:
    """Return what takes another snapshot of the same kind: growth is that of two of one kind."""
    if again := _again(address):
        return f"oakum diagnose --snapshots 3 --every 1m {again}"
    profile, file = (
        ("heap", "heap.pb.gz") if kind in ("heap", "allocs") else ("goroutine?debug=2", "goroutine.debug2.txt")
    )
    if about.rpartition("/")[2] == file:  # it is not to be overwritten
        file = f"later.{file}"
    server = _SERVER.fullmatch(address)
    address = server[1] if server else "http://HOST:PORT"
    return f"curl -so {file} '{address}/debug/pprof/{profile}' && oakum diagnose {shlex.quote(about)} {file}"


def _more_snapshots(_: Gap, address: str) -> str:
    return f"oakum diagnose --snapshots 5 --every 2m {_again(address) or 'http://HOST:PORT'}"


def _after_load(gap: Gap, address: str) -> str:
    again = _again(address)
    return f"oakum capture {again} -o after/" if again else _dump(gap, address)


def _ages(gap: Gap, address: str) -> str:
    again = _again(address)
    return f"oakum capture --force {again} -o dump/" if again else _dump(gap, address)


def _status(_: Gap, address: str) -> str:
    pid = address.removeprefix("pid:") if address.startswith("pid:") else "PID"
    return f"cp /proc/{pid}/status process.status.txt"


def _capture_peer(gap: Gap, _address: str) -> str:
    """Return what captures the process at the other end of a socket, by its pid, Service, pod, path or port."""
    kind, _, where = gap.about.partition(":")
    if kind in ("pid", "kube"):
        return f"oakum capture {gap.about}"
    listed = f"ss -Hlxp src {shlex.quote(where)}" if kind == "unix" else ""
    if kind == "tcp":
        host, _, port = where.rpartition(":")
        listed = f"ss -Hltnp 'sport = :{port}'"
        remark = f"{_REMARK}{host}"
    else:
        remark = ""
    pid = r"s/.*pid=\([0-9]*\).*/\1/p;q"
    return f"oakum capture pid:$({listed} | sed -n '{pid}'){remark}" if listed else "ss -tnpx"


def _always(command: str) -> Callable[[Gap, str], str]:
    return lambda _gap, _address: command


_COMMANDS: Mapping[str, Callable[[Gap, str], str]] = {
    "second-moment": _always(""),  # see _written
    "short": _more_snapshots,
    "more-load": _more_snapshots,
    "after-load": _after_load,
    "goroutines": _dump,
    "ages": _ages,
    "cut": _fetch("goroutine", "goroutine.pb.gz"),
    "heap": _fetch("heap", "heap.pb.gz"),
    "memstats": _fetch("heap?debug=1", "heap.debug1.txt"),
    "rss": _status,
    "goroutineleak": _fetch("goroutineleak", "goroutineleak.pb.gz"),
    "source-late": _always("oakum diagnose --source DIR EVIDENCE"),
    "source-missing": _always("oakum diagnose --source DIR EVIDENCE"),
    "source-differs": _always("oakum diagnose --source DIR EVIDENCE"),
    "peer": _capture_peer,
    "peer-unknown": _capture_peer,
    "peer-foreign": lambda gap, _address: gap.about,
    "known-symptom": _always(_PEER),
    "known-peer": _always(_PEER),
    "known-alike": lambda gap, _address: f"oakum known show {gap.about}",
    "known-version": _always("oakum diagnose --binary PROGRAM EVIDENCE"),
}
