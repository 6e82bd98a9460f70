"""CPU profiles as binary words: gperftools' profiler, Go before 1.9, and Java's agent.

In: words of 32 or 64 bits in either byte order, perhaps followed by /proc/self/maps or Java's names. Out: one
`Reading`, as google/pprof reads it: return addresses moved onto the call, signal-handler frames taken out.
"""

import struct
from collections import Counter
from time import monotonic

import numpy as np

from oakum.model import Buffer, Problem, Reading, ValueType
from oakum.model.profile import UInt64s
from oakum.parse.columns import TOP, Columns
from oakum.parse.java_text import read_names
from oakum.parse.limits import DEFAULT, Limits
from oakum.parse.mappings import read_maps
from oakum.parse.thread_text import without_doubled_leaf

TYPES = (ValueType("samples", "count"), ValueType("cpu", "nanoseconds"))
_WORDS = ("<I", ">I", "<Q", ">Q")
_HEADER_WORDS = 5
_END = (0, 1, 0)
# One sample in so many may differ from the rest and the frame is still the signal handler's (as in google/pprof).
_ALIKE = 32


def read(data: Buffer, limits: Limits = DEFAULT) -> tuple[Reading, ...]:
    """Return the one reading of a legacy CPU profile; () when the header is another."""
    for word in _WORDS:
        size = struct.calcsize(word)
        if len(data) < _HEADER_WORDS * size:
            continue
        first, version, java, period, padding = struct.unpack_from(word[0] + word[1] * _HEADER_WORDS, data)
        if first == 0 and version == 3 and java in (0, 1) and period > 0 and padding == 0:
            return (_read(data, word, period, bool(java), limits),)
    return ()


def _read(data: Buffer, word: str, period: int, java: bool, limits: Limits) -> Reading:
    size = struct.calcsize(word)
    words = np.frombuffer(data, np.dtype(word), len(data) // size).astype(np.uint64)
    samples, end, problems = _samples(words, limits)
    trailer = bytes(data[min(end * size, len(data)) :])
    columns = Columns(limits)
    nanoseconds = period * 1000
    if java:
        for count, addresses in samples:
            columns.sample(columns.stack(addresses), (count, count * nanoseconds))
        read_names(trailer, columns)
        maps = read_maps(())
    else:
        for count, addresses in _without_handler(samples):
            columns.sample(columns.stack_of(without_doubled_leaf(columns, addresses)), (count, count * nanoseconds))
        maps = read_maps(trailer.split(b"\n"))
    profile = columns.profile(
        "cpu",
        TYPES,
        period_type=TYPES[1],
        period=nanoseconds,
        mappings=maps,
        named_addresses=not java,
        extra={"word_bits": size * 8, "byte_order": "little" if word[0] == "<" else "big"},
    )
    return Reading(
        kind="cpu",
        format="legacy-cpu",
        producer="Java" if java else "C++ (gperftools)" if maps else "Go",
        profile=profile,
        problems=(*problems, *columns.problems()),
    )


Sample = tuple[int, list[int]]  # how often, and the addresses, leaf first


def _samples(words: UInt64s, limits: Limits) -> tuple[list[Sample], int, list[Problem]]:
    """Return the samples, the word after their end mark, and what is wrong with them."""
    samples: list[Sample] = []
    deadline = limits.deadline()
    at, total = _HEADER_WORDS, len(words)
    while at + 2 <= total:
        count, depth = int(words[at]), int(words[at + 1])
        if at + 2 + depth > total:
            break
        if (count, depth) == _END[:2] and words[at + 2] == 0:
            return samples, at + 3, []
        samples.append((count, words[at + 2 : at + 2 + depth].tolist()))
        at += 2 + depth
        if len(samples) % 65536 == 0 and monotonic() > deadline:
            return samples, total, [Problem.of("out-of-time", f"word {at}")]
    return samples, total, [Problem.of("cut-mid-samples", f"word {at}", read=len(samples))]


def _without_handler(samples: list[Sample]) -> list[Sample]:
    """Return the samples with return addresses moved onto the call and up to two signal-handler frames taken out."""
    called = [
        (count, [*addresses[:1], *((address - 1) & TOP for address in addresses[1:])]) for count, addresses in samples
    ]
    margin = len(called) // _ALIKE
    for _ in range(2):
        second = Counter(addresses[1] for _, addresses in called if len(addresses) > 1)
        for address, times in second.most_common(1):
            if times >= len(called) - margin:
                called = [
                    (count, [*stack[:1], *stack[2:]] if len(stack) > 1 and stack[1] == address else stack)
                    for count, stack in called
                ]
    return called
