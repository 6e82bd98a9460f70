"""Goroutine dumps as debug=2 writes them, of a made-up Kubernetes component that leaks.

Comes in: how many goroutines or how many bytes, and of how many kinds. Goes out: the text, whole goroutines only.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bench.names import Function, functions_of

# What a goroutine prints above the code that waits: the state, and the standard library's frames, leaf first.
# %x is a word that differs from goroutine to goroutine.
WAITS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("chan receive", ()),
    ("chan send", ()),
    ("select", ()),
    ("select", ()),
    ("sleep", (("time.Sleep(0x3b9aca00)", "/usr/local/go/src/runtime/time.go:195 +0x125"),)),
    (
        "sync.Cond.Wait",
        (
            ("sync.runtime_notifyListWait(0xc0%08x, 0x%x)", "/usr/local/go/src/runtime/sema.go:569 +0x159"),
            ("sync.(*Cond).Wait(0xc0%08x?)", "/usr/local/go/src/sync/cond.go:70 +0x85"),
        ),
    ),
    (
        "sync.Mutex.Lock",
        (
            (
                "sync.runtime_SemacquireMutex(0xc0%08x?, 0x0?, 0xc0%08x?)",
                "/usr/local/go/src/runtime/sema.go:77 +0x25",
            ),
            ("sync.(*Mutex).lockSlow(0xc0%08x)", "/usr/local/go/src/sync/mutex.go:171 +0x15d"),
            ("sync.(*Mutex).Lock(...)", "/usr/local/go/src/sync/mutex.go:90"),
        ),
    ),
    (
        "sync.WaitGroup.Wait",
        (
            ("sync.runtime_Semacquire(0xc0%08x?)", "/usr/local/go/src/runtime/sema.go:62 +0x25"),
            ("sync.(*WaitGroup).Wait(0xc0%08x?)", "/usr/local/go/src/sync/waitgroup.go:116 +0x48"),
        ),
    ),
    (
        "IO wait",
        (
            ("internal/poll.runtime_pollWait(0x7f%010x, 0x72)", "/usr/local/go/src/runtime/netpoll.go:343 +0x85"),
            (
                "internal/poll.(*pollDesc).wait(0xc0%08x?, 0xc0%08x?, 0x0)",
                "/usr/local/go/src/internal/poll/fd_poll_runtime.go:84 +0x27",
            ),
            ("internal/poll.(*pollDesc).waitRead(...)", "/usr/local/go/src/internal/poll/fd_poll_runtime.go:89"),
            (
                "internal/poll.(*FD).Read(0xc0%08x, {0xc0%08x, 0x1000, 0x1000})",
                "/usr/local/go/src/internal/poll/fd_unix.go:164 +0x27a",
            ),
            (
                "net.(*netFD).Read(0xc0%08x, {0xc0%08x?, 0x%x?, 0x0?})",
                "/usr/local/go/src/net/fd_posix.go:55 +0x25",
            ),
            ("net.(*conn).Read(0xc0%08x, {0xc0%08x?, 0x0?, 0x0?})", "/usr/local/go/src/net/net.go:179 +0x45"),
        ),
    ),
)
ARGUMENTS = (
    "(0xc0%08x)",
    "(0xc0%08x, 0xc0%08x)",
    "(0xc0%08x, {0x1c7d5a8, 0xc0%08x}, 0x%x)",
    "({0x1c7d5a8?, 0xc0%08x?}, {0xc0%08x, 0x%x}, 0x1)",
    "(0xc0%08x, {0x1c8b2e0?, 0xc0%08x?}, {0x19d0ea0, 0x%x}, {0x0, 0x0}, ...)",
    "(0x0?, 0xc0%08x?)",
    "(...)",
    "()",
)
# Goroutines are drawn this many at a time, to bound memory.
CHUNK = 4096


def _kind(named: Iterator[Function], random: np.random.Generator) -> tuple[str, str, str]:
    """Return (state, frames, creator) of one kind of goroutine, with %x where members differ."""
    state, waiting = WAITS[random.integers(len(WAITS))]
    lines = [f"{call}\n\t{place}\n" for call, place in waiting]
    # Few goroutines are deep; handlers of requests are.
    for _ in range(int(np.clip(random.gamma(2.2, 1.7), 1, 30))):
        function, arguments = next(named), ARGUMENTS[random.integers(len(ARGUMENTS))]
        end = "" if arguments == "(...)" else f" +{random.integers(0x18, 0x900):#x}"
        at = function.line + random.integers(1, 80)
        lines.append(f"{function.name}{arguments}\n\t{function.file}:{at}{end}\n")
    creator = next(named)
    at = creator.line + random.integers(1, 80)
    place = f"\n\t{creator.file}:{at} +{random.integers(0x18, 0x900):#x}\n\n"
    return state, "".join(lines), f"created by {creator.name}%s{place}"


def _goroutines(stacks: int, parents: bool, seed: int) -> Iterator[bytes]:
    """Yield the goroutines of a dump, one text each, without end."""
    random = np.random.default_rng(seed)
    named = iter(functions_of(40 * stacks, random))
    kinds = [_kind(named, random) for _ in range(stacks)]
    templates = [f"goroutine %d [{state}%s]:\n{frames}{creator}".encode() for state, frames, creator in kinds]
    holes = [frames.count("%") for _, frames, _ in kinds]
    # The leak dominates, as in the field: kind k occurs in proportion to 1/(k+1).
    share = 1 / np.arange(1, stacks + 1)
    share /= share.sum()
    number = 0
    yield b"goroutine 1 [running]:\nmain.main()\n\t/src/k8s.io/kubernetes/cmd/kubelet/kubelet.go:35 +0x1d\n\n"
    while True:
        chosen = random.choice(stacks, CHUNK, p=share).tolist()
        gaps = random.integers(1, 9, CHUNK).tolist()
        minutes = random.integers(-400, 9000, CHUNK).tolist()
        words = iter(random.integers(0, 1 << 32, sum(holes[kind] for kind in chosen)).tolist())
        for kind, gap, waited in zip(chosen, gaps, minutes, strict=True):
            number += gap
            wait = b"" if waited < 1 else b", %d minutes" % waited
            arguments = [next(words) for _ in range(holes[kind])]
            parent = b" in goroutine %d" % (1 + number // 7) if parents else b""
            yield templates[kind] % (number + 1, wait, *arguments, parent)


def write_dump(
    path: Path,
    *,
    goroutines: int | None = None,
    size: int | None = None,
    stacks: int = 300,
    parents: bool = True,
    seed: int = 1,
) -> int:
    """Write a debug=2 dump of so many goroutines, or as many as fit into `size` bytes; return how many they are.

    With `parents` the creator's line ends in the goroutine it was, as since Go 1.21.
    """
    if (goroutines is None) == (size is None):
        raise ValueError("give either goroutines or size")
    written = count = 0
    with path.open("wb", buffering=1 << 20) as out:
        for goroutine in _goroutines(stacks, parents, seed):
            written += len(goroutine)
            if (goroutines is not None and count >= goroutines) or (size is not None and written > size):
                break
            out.write(goroutine)
            count += 1
    return count


__all__ = ["write_dump"]
