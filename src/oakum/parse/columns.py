"""Builds a `Profile` record by record, as the readers of the legacy formats meet them.

In: addresses, names, labels and values. Out: interned columns, in the order google/pprof's legacy readers number them.
Addresses come in adjusted (the call, not the return); names are kept by address.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from oakum.model import Functions, LabelSets, Locations, Mapping, Problem, Profile, Stacks, Strings, ValueType
from oakum.model.profile import offsets
from oakum.parse.limits import DEFAULT, Limits
from oakum.parse.mappings import assign
from oakum.regex import regex

TOP = (1 << 64) - 1
_INT64 = (1 << 63) - 1

# What google/pprof drops from symbolised legacy profiles (legacy_profile.go: addLegacyFrameInfo), by sample types.
_ALLOCATION = "|".join(
    r"""calloc cfree malloc free memalign do_memalign (__)?posix_memalign pvalloc valloc realloc tcmalloc::.* tc_calloc
    tc_cfree tc_malloc tc_free tc_memalign tc_posix_memalign tc_pvalloc tc_valloc tc_realloc tc_new tc_delete
    tc_newarray tc_deletearray tc_new_nothrow tc_newarray_nothrow malloc_zone_malloc malloc_zone_calloc
    malloc_zone_valloc malloc_zone_realloc malloc_zone_memalign malloc_zone_free runtime\..* BaseArena::.*
    (::)?do_malloc_no_errno (::)?do_malloc_pages (::)?do_malloc DoSampledAllocation MallocedMemBlock::MallocedMemBlock
    _M_allocate __builtin_(vec_)?delete __builtin_(vec_)?new __gnu_cxx::new_allocator::allocate __libc_malloc
    __malloc_alloc_template::allocate allocate cpp_alloc operator@new(\[\])? simple_alloc::allocate""".split()
).replace("@", " ")
_KEPT_RUNTIME = r"runtime\.panic|runtime\.reflectcall|runtime\.call[0-9]*"
_LOCKING = "|".join(
    r"""RecordLockProfileData (base::)?RecordLockProfileData.* (base::)?SubmitMutexProfileData.*
    (base::)?SubmitSpinLockProfileData.* (base::Mutex::)?AwaitCommon.* (base::Mutex::)?Unlock.*
    (base::Mutex::)?UnlockSlow.* (base::Mutex::)?ReaderUnlock.* (base::MutexLock::)?~MutexLock.* (Mutex::)?AwaitCommon.*
    (Mutex::)?Unlock.* (Mutex::)?UnlockSlow.* (Mutex::)?ReaderUnlock.* (MutexLock::)?~MutexLock.* (SpinLock::)?Unlock.*
    (SpinLock::)?SlowUnlock.* (SpinLockHolder::)?~SpinLockHolder.*""".split()
)
_PROFILER = "ProfileData::Add|ProfileData::prof_handler|CpuProfiler::prof_handler|__pthread_sighandler|__restore"

# /Users/xargin/sdk/go1.14.2/src/runtime/proc.go    golang.org/toolchain@v0.0.1-go1.23.4.linux-amd64/src/net/http/x.go
# /opt/hostedtoolcache/go/1.21.5/x64/src/os/x.go    /usr/local/Cellar/go/1.19.3/libexec/src/runtime/proc.go
_GO_VERSION = regex(
    r"(?:[/\\-]go|hostedtoolcache/go/|Cellar/go/)(1\.\d+(?:\.\d+|rc\d+|beta\d+)?)(?:\.[a-z0-9]+-[a-z0-9]+)?[/\\]"
    r"(?:x64/|arm64/|libexec/|go/)?src[/\\]"
)


class Columns:
    """Tables under construction; every adder returns the row."""

    def __init__(self, limits: Limits = DEFAULT) -> None:
        self._max_depth = limits.max_depth
        self._strings: dict[str, int] = {"": 0}
        self._functions: dict[tuple[int, int], int] = {}
        self._locations: dict[int, int] = {}
        self._lines: dict[int, list[tuple[int, int]]] = {}  # address -> (function, line number), inlined callee first
        self._stacks: dict[tuple[int, ...], int] = {}
        self._label_sets: dict[tuple[tuple[int, int, int], ...], int] = {(): 0}
        self._samples: list[tuple[int, int, tuple[int, ...]]] = []
        self._cut_stacks = 0

    @property
    def samples(self) -> int:
        return len(self._samples)

    def string(self, text: str) -> int:
        return self._strings.setdefault(text, len(self._strings))

    def function(self, name: str, file: str) -> int:
        return self._functions.setdefault((self.string(name), self.string(file)), len(self._functions))

    def location(self, address: int) -> int:
        return self._locations.setdefault(address, len(self._locations))

    def knows(self, address: int) -> bool:
        """Return whether a stack holds this address."""
        return address in self._locations

    def name(self, address: int, lines: list[tuple[int, int]]) -> None:
        """Give an address its (function, line number)s, inlined callee first, unless it has them already."""
        self._lines.setdefault(address, lines)

    def stack(self, addresses: Iterable[int]) -> int:
        """Return the row of a stack of addresses, leaf first."""
        return self.stack_of([self.location(address) for address in addresses])

    def stack_of(self, locations: Sequence[int]) -> int:
        """Return the row of a stack of location rows, leaf first."""
        if len(locations) > self._max_depth:
            locations = locations[: self._max_depth]
            self._cut_stacks += 1
        return self._stacks.setdefault(tuple(locations), len(self._stacks))

    def texts(self, labels: Iterable[tuple[str, str]]) -> int:
        return self._label_set(tuple((self.string(key), self.string(text), 0) for key, text in labels))

    def number(self, key: str, number: int) -> int:
        """Return the row of the set that holds one numeric label."""
        return self._label_set(((self.string(key), 0, clamp(number)),))

    def _label_set(self, labels: tuple[tuple[int, int, int], ...]) -> int:
        return self._label_sets.setdefault(labels, len(self._label_sets))

    def sample(self, stack: int, values: Iterable[int], labels: int = 0) -> None:
        """Add a sample; values beyond 64 bits are held at the end of the range."""
        self._samples.append((stack, labels, tuple(clamp(value) for value in values)))

    @property
    def go_version(self) -> str | None:
        """Return the Go version that the standard library's paths name, if they do."""
        files = {file for _, file in self._functions}
        names = [text for text, row in self._strings.items() if row in files]
        found = next((match for name in names if (match := _GO_VERSION.search(name))), None)
        return f"go{found[1]}" if found else None

    def problems(self) -> tuple[Problem, ...]:
        """Return what had to be left out to stay within the limits."""
        if not self._cut_stacks:
            return ()
        return (Problem.of("stack-too-deep", stacks=self._cut_stacks, depth=self._max_depth),)

    def profile(
        self,
        kind: str,
        sample_types: tuple[ValueType, ...],
        *,
        period_type: ValueType | None = None,
        period: int = 0,
        duration_nanos: int = 0,
        mappings: list[Mapping] | None = None,
        named_addresses: bool = True,
        extra: dict[str, Any] | None = None,
    ) -> Profile:
        """Return the profile; with `named_addresses` false the addresses are only keys and are not kept (Java)."""
        addresses = np.fromiter(self._locations, np.uint64, len(self._locations))
        named = [self._lines.get(address, []) for address in self._locations]
        mapped = addresses
        if not named_addresses:
            mapped = addresses.copy()
            mapped[[bool(lines) for lines in named]] = 0
            addresses = np.zeros_like(addresses)
        rows, final_mappings = assign(mapped, list(mappings or []))
        if named_addresses and any(named):
            final_mappings = tuple(
                replace(m, has_functions=True, has_filenames=True, has_line_numbers=True) for m in final_mappings
            )
        lines = [line for lines in named for line in lines]
        samples, names = self._samples, [type.type for type in sample_types]
        heap = names in (["objects", "space"], ["inuse_objects", "inuse_space"]) or names[:1] == ["alloc_objects"]
        locking = names == ["contentions", "delay"]
        return Profile(
            kind=kind,
            sample_types=sample_types,
            values=np.array([s[2] for s in samples], np.int64).reshape(len(samples), len(sample_types)).T.copy(),
            stack_ids=np.fromiter((s[0] for s in samples), np.int32, len(samples)),
            label_ids=np.fromiter((s[1] for s in samples), np.int32, len(samples)),
            stacks=Stacks(
                offsets([len(stack) for stack in self._stacks]),
                np.fromiter((location for stack in self._stacks for location in stack), np.int32),
            ),
            label_sets=self._label_columns(),
            locations=Locations(
                addresses,
                rows,
                np.zeros(len(addresses), np.bool_),
                offsets([len(lines) for lines in named]),
                np.fromiter((function for function, _ in lines), np.int32, len(lines)),
                np.fromiter((number for _, number in lines), np.int64, len(lines)),
            ),
            functions=self._function_columns(),
            strings=Strings.of(self._strings),
            mappings=final_mappings,
            period_type=period_type,
            period=clamp(period),
            duration_nanos=clamp(duration_nanos),
            drop_frames=_ALLOCATION if heap else _LOCKING if locking else _PROFILER,
            keep_frames=_KEPT_RUNTIME if heap else "",
            extra=extra or {},
        )

    def _function_columns(self) -> Functions:
        count = len(self._functions)
        names = np.fromiter((name for name, _ in self._functions), np.int32, count)
        files = np.fromiter((file for _, file in self._functions), np.int32, count)
        return Functions(names, names, files, np.zeros(count, np.int64))

    def _label_columns(self) -> LabelSets:
        rows = [label for labels in self._label_sets for label in labels]
        return LabelSets(
            offsets([len(labels) for labels in self._label_sets]),
            np.fromiter((key for key, _, _ in rows), np.int32, len(rows)),
            np.fromiter((text for _, text, _ in rows), np.int32, len(rows)),
            np.fromiter((number for _, _, number in rows), np.int64, len(rows)),
            np.zeros(len(rows), np.int32),
        )


def clamp(value: int) -> int:
    """Return the value, held within a signed 64-bit number."""
    return max(-_INT64 - 1, min(_INT64, value))
