"""What a profile is of and who wrote it, as sample types, names and paths tell: kind, producer, Go version.

Comes in: a profile as read so far. Goes out: words, or None where nothing is evident; nothing is guessed.
"""

from collections import Counter
from functools import lru_cache

import numpy as np

from oakum.model import Profile, Strings, ValueType
from oakum.model.profile import unique_values
from oakum.parse.wire import Int64s
from oakum.regex import regex

# Functions looked at to tell the producer; they are spread over the whole table.
ENOUGH = 400
MANY = 10_000  # leaves looked at to tell a block from a mutex profile
NEAR = 1 << 20  # bytes of the string table in which a path of the standard library is looked for

_ENDINGS = {
    ".go": "Go", ".rs": "Rust", ".py": "Python", ".rb": "Ruby", ".js": "Node.js", ".mjs": "Node.js", ".ts": "Node.js",
    ".java": "Java", ".kt": "Java", ".scala": "Java", ".cs": ".NET", ".cc": "C++", ".cpp": "C++", ".cxx": "C++",
}  # fmt: skip
# Go:      runtime.gopark   main.(*Server).run.func1   net/http.(*conn).serve
# Rust:    core::ptr::add::had6ed03aa57b98a5   main.rs:127 - server::find   <T as core::fmt::Debug>::fmt
# Node.js: node:events:emit:470   ./node_modules/express/lib/router/layer.js:handle:95
# Python:  lib/server.py:-1 - bike          Ruby: app/controllers/bike_controller.rb:-1 - block in index
# .NET:    System.Reflection!CustomAttribute.AddCustomAttributes
# Java:    java/io/DataInputStream.readByte   java.lang.Thread.run
# C++:     std::vector<int>::push_back   operator new(unsigned long)
_NAMES = {
    "Go": regex(r"^runtime\.[a-z]\w+$|\.\(\*\w+\)\.\w+|\.func\d+(?:\.\d+)*$|^main\.\w+$"),
    "Rust": regex(
        r"::h[0-9a-f]{16}$|^(?:core|alloc|std)::(?:ptr|ops|fmt|iter|thread|rt|panicking)::|\.rs:\d+ - | as \w+::"
    ),
    "Node.js": regex(r"^node:|/node_modules/|\.[jt]s:[^:]+:\d+$"),
    "Python": regex(r"\.py:-?\d+ - |^<module>$"),
    "Ruby": regex(r"\.rb:-?\d+ - |^block in "),
    ".NET": regex(r"^(?:System|Microsoft)\b[\w.]*!"),
    "Java": regex(r"^(?:java|javax|jdk|sun|com/sun|scala)[/.]\w+[/.]"),
    "C++": regex(r"\bstd::|^operator (?:new|delete)|^__gnu_cxx::|^tcmalloc::"),
}
# entry_SYSCALL_64_after_hwframe   do_syscall_64   el0_svc: only a profiler inside the kernel sees these.
_KERNEL = regex(r"^(?:entry_SYSCALL_64|do_syscall_64|el0_svc|__softirqentry_text_start)")
_KERNEL_CODE = "kernel"  # among the languages of a name

# /usr/local/go1.21.3/src/runtime/   /opt/hostedtoolcache/go/1.21.3/x64/src/runtime/   /usr/lib/go-1.19/src/runtime/
# golang.org/toolchain@v0.0.1-go1.21.3.linux-amd64/src/runtime/   .goenv/versions/1.16.5/src/runtime/
_GOROOT = regex(rb"(?:go|golang|versions)[-/@]?(1\.\d{1,2}(?:\.\d{1,2})?(?:(?:rc|beta)\d{1,2})?)(?!\d)")
_GOROOT_FOLDERS = (b"/src/runtime/", b"/src/sync/", b"/src/net/", b"/src/testing/")

# runtime.chanrecv1   runtime.selectgo   sync.(*Mutex).Lock   sync.(*WaitGroup).Wait   sync.(*Mutex).lockSlow
_BLOCKS = regex(r"^runtime\.(?:chan|select|block|semacquire|notifyList)|^(?:internal/)?sync\..*(?:\.R?Lock|Slow|Wait)$")
# sync.(*Mutex).Unlock   sync.(*RWMutex).RUnlock   runtime.unlock2   runtime._LostContendedRuntimeLock (Go 1.22+)
_UNLOCKS = regex(r"[uU]nlock(?:Slow|2)?$|^runtime\._LostContended|^runtime\.semrelease")


def kind(types: tuple[ValueType, ...], period: ValueType | None, default: str) -> str:
    """Return the kind of a profile with these sample types; "contention" where the stacks must tell which one."""
    names = [sampled.type for sampled in types]
    for known in ("goroutineleak", "goroutine", "threadcreate"):
        if known in names:
            return known
    if "inuse_space" in names or "inuse_objects" in names:
        # Go's allocs and heap profiles differ by their default sample type alone.
        return "allocs" if default == "alloc_space" else "heap"
    if "alloc_space" in names or "alloc_objects" in names:
        return "allocs"
    if "contentions" in names:
        return "contention"
    lower = [name.lower() for name in names]
    if "cpu" in lower or (lower == ["samples"] and period is not None and period.type == "cpu"):
        return "cpu"
    return (default if default in names else "") or (names[-1] if names else "") or "unknown"


def contention(profile: Profile) -> str:
    """Return "block" or "mutex" as the leaves of the stacks tell, "contention" when they do not.

    Go writes both with the same sample types; one stands where a goroutine waits, the other where one unlocks.
    """
    stacks, locations = profile.stacks, profile.locations
    leaves = unique_values(stacks.locations[stacks.starts[:-1][stacks.starts[1:] > stacks.starts[:-1]]])
    first = locations.line_starts[leaves]
    rows = unique_values(locations.line_function[first[first < locations.line_starts[leaves + 1]]])
    names = [profile.strings[int(row)] for row in profile.functions.name[rows[rows >= 0]][:MANY]]
    unlocks = sum(bool(_UNLOCKS.search(name)) for name in names)
    blocks = sum(bool(_BLOCKS.search(name)) and not _UNLOCKS.search(name) for name in names)
    if unlocks > blocks:
        return "mutex"
    return "block" if blocks else "contention"


def producer(profile: Profile) -> str | None:
    """Return what kind of program wrote the profile: "Go", "Java", "eBPF" ...; None when nothing tells."""
    functions, strings = profile.functions, profile.strings
    some = slice(None, None, 1 + len(functions) // ENOUGH)
    names = strings.raws(functions.name[some])
    files = {mapping.file for mapping in profile.mappings}
    told = Counter(map(_languages, names))  # few differ: what is counted is how often
    if "[kernel.kallsyms]" in files or any(_KERNEL_CODE in languages for languages in told):
        return "eBPF"
    votes: Counter[str | None] = Counter()
    rows = Counter(functions.file[some].tolist())  # most functions share their file with others
    for file, times in zip(strings.texts(np.fromiter(rows, np.int64)), rows.values(), strict=True):
        votes[_ENDINGS.get(_ending(file))] += times
    for languages, times in told.items():
        for language in languages:
            votes[language] += times
    del votes[None]
    if votes:
        return votes.most_common(1)[0][0]
    types = {sampled.type for sampled in profile.sample_types}
    if types & {"goroutine", "goroutineleak", "threadcreate", "contentions"} or {"alloc_space", "inuse_space"} <= types:
        return "Go"
    if any(comment.startswith("executableInfo=") for comment in profile.comments):
        return "Rust"  # jemalloc_pprof, a crate
    return "C++" if any("libstdc++" in file or "libc++" in file for file in files) else None


@lru_cache(maxsize=4096)
def _languages(raw: bytes) -> tuple[str, ...]:
    """Return the languages whose functions are named so, and whether the kernel has one of this name.

    Remembered, because the next profile is often of the same program.
    """
    name = raw.decode("utf-8", "replace")
    found = tuple(language for language, pattern in _NAMES.items() if pattern.search(name))
    return (*found, _KERNEL_CODE) if _KERNEL.search(name) else found


def _ending(file: str) -> str:
    dot = file.rfind(".")
    return file[dot:] if dot >= 0 else ""


def go_version(blob: bytes, starts: Int64s, strings: Strings) -> str | None:
    """Return the Go version that the paths of the standard library name: "go1.21.3"; None when they name none."""
    for folder in _GOROOT_FOLDERS:
        at = blob.find(folder, 0, NEAR)
        if at >= 0:
            path = strings.raw(int(np.searchsorted(starts, at, side="right")) - 1)
            found = _GOROOT.findall(path[: path.find(folder) + 1])
            if found:
                return f"go{found[-1].decode()}"
    return None
