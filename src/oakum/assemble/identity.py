"""Parts of one snapshot -> which process they are of: its binary and build, when it was started, where it is reached.

What no part tells is empty or None; nothing is guessed from the names of files.
"""

from collections.abc import Iterable, Iterator, Sequence

from oakum.assemble.parts import Part, process_name
from oakum.model import Build, Goroutines, Identity, Metrics
from oakum.model.capture import REDACTED
from oakum.model.names import calls_nobody
from oakum.regex import regex

_START = "process_start_time_seconds"
_NO_VERSION = (None, "", "(devel)", "(replaced)")
# /usr/lib/libc.so.6   [vdso]   /memfd:x (deleted)
_NO_PROGRAM = regex(r"\[|.*\.so(\.|$)|//anon|/?memfd:")
# /sys/fs/cgroup/system.slice/orders.service/
_UNIT = regex(r"/([\w.@-]{1,100})\.service/?$")
# Directories that main packages are built in whatever they are called.
_ANYWHERE = frozenset({
    "app", "apps", "build", "builder", "cmd", "code", "go", "home", "main", "opt", "project", "repo", "root", "server",
    "service", "source", "src", "srv", "tmp", "work", "workdir", "workspace",
})  # fmt: skip


def identity_of(parts: Sequence[Part]) -> Identity:
    """Return what the parts of one snapshot say of the process that they are of."""
    file, build_id = next(_programs(parts), ("", ""))
    builds = [build for part in parts if part.slot and (build := part.reading.build)]
    targets = (part.capture.target for part in parts if part.slot and part.capture.target)
    return Identity(
        binary=_base(file),
        build_id=build_id,
        version=next((told for build in builds if (told := _version(build))), ""),
        main=next(_main_directories(parts), ""),
        started=next(_starts(parts), None),
        pid=next(_pids(parts), None),
        address=next((target for target in targets if not target.startswith(REDACTED)), ""),
    )


def _pids(parts: Iterable[Part]) -> Iterator[int]:
    """Yield the pid that a list of sockets or /proc/PID/status tells."""
    for part in parts:
        if part.reading.sockets and part.reading.sockets.pid:
            yield part.reading.sockets.pid
        if part.reading.metrics and (told := part.reading.metrics.values.get(("process_pid", ()))):
            yield int(told)


def _programs(parts: Iterable[Part]) -> Iterator[tuple[str, str]]:
    """Yield the file and the build id of the program that profiles were written by: their first mapping of a file."""
    for part in parts:
        for mapping in part.reading.profile.mappings[:1] if part.reading.profile else ():
            if mapping.file and not _NO_PROGRAM.match(mapping.file):
                yield mapping.file, mapping.build_id


def _base(file: str) -> str:
    name = file.replace("\\", "/").rpartition("/")[2].removesuffix(" (deleted)").removesuffix(".exe")
    return "" if name == "exe" else name  # /proc/self/exe


def _version(build: Build) -> str:
    revision = (build.settings or {}).get("vcs.revision", "")
    return revision or (build.main_version or "" if build.main_version not in _NO_VERSION else "")


def _main_directories(parts: Iterable[Part]) -> Iterator[str]:
    """Yield the last directory of the file that main.main is in, and what a build calls its main package."""
    for part in parts:
        if part.reading.build and part.reading.build.path:
            yield part.reading.build.path.rpartition("/")[2]
    for found in _dumps(parts):
        for group in found.groups:
            for frame in group.stack.frames[-2:]:  # below it is runtime.main at most
                if frame.function == "main.main":
                    directories = frame.file.replace("\\", "/").split("/")[:-1]
                    if directories and directories[-1]:
                        yield directories[-1]


def _dumps(parts: Iterable[Part]) -> Iterator[Goroutines]:
    yield from (part.reading.goroutines for part in parts if part.reading.goroutines is not None)


def _starts(parts: Iterable[Part]) -> Iterator[float]:
    """Yield when the process was started, where metrics of one process tell it."""
    told: list[Metrics] = [part.reading.metrics for part in parts if part.reading.metrics is not None]
    for metrics in told:
        values = metrics.by_labels(_START)
        if len(values) == 1:
            yield next(iter(values.values()))


def best_name(build: str, identities: Iterable[Identity], parts: Sequence[Part], given: str) -> str:
    """Return what a process is called: by its build, its binary, the kernel, its metrics, its unit; else as given.

    Where what was given calls nobody, 1.txt or -, the directory of its main package does.
    """
    known = list(identities)
    binary = next((one.binary for one in known if one.binary), "")
    return build or binary or process_name(parts) or _unit(parts) or (calls_nobody(given) and _built_in(known)) or given


def _built_in(identities: Iterable[Identity]) -> str:
    """Return the directory of the main package, by which go build calls a binary, where it says anything."""
    return next((one.main for one in identities if one.main and one.main not in _ANYWHERE), "")


def _unit(parts: Iterable[Part]) -> str:
    groups = (part.reading.notes.get("cgroup", "") for part in parts)
    return next((found[1] for group in groups if (found := _UNIT.search(group[-200:]))), "")
