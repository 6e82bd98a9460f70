"""Memory maps at the end of legacy profiles: which mapped file an address belongs to.

In: lines in the form of /proc/self/maps or the brief form of C++ profilers. Out: `Mapping`s, merged and ordered as
google/pprof does, and the mapping of each address. Lines that are no mapping are passed over.
"""

from collections.abc import Iterable

import numpy as np
from msgspec.structs import replace

from oakum.model import Mapping
from oakum.model.profile import Int32s, UInt64s, unique_values
from oakum.regex import regex

# A process has some hundred executable mappings; the cap keeps hostile maps from costing time.
MAX_MAPPINGS = 10_000
_MAX_LINE = 4096
_MAX_ATTRIBUTES = 32
_TOP = (1 << 64) - 1

_RANGE = (
    rb"\s*(?:0x)?(?P<start>[0-9a-fA-F]{1,16})[\s-]\s*(?:0x)?(?P<limit>[0-9a-fA-F]{1,16}):?(?:\s+(?P<perm>[-rwxp]+))?"
)
# 55c282113000-55c2831c8000 r-xp 00181000 00:11 4891588                    /usr/local/bin/testbinary
_PROC = regex(
    _RANGE + rb"(?:\s+(?P<offset>[0-9a-fA-F]{1,16}))?\s+[0-9a-fA-F]+:[0-9a-fA-F]+\s+[0-9]+(?:\s+(?P<file>\S+))?"
)
# 00400000-00fcb000: cppbench_server_main
# 0x40000-0x80000 /path/to/binary (@FF00) abc123456
_BRIEF = regex(
    _RANGE + rb"(?:\s+(?P<file>\S+))?(?:\s+\(@(?P<offset>[0-9a-fA-F]{1,16})\))?(?:\s+(?P<build>[0-9a-fA-F]+))?"
)
# I0313 16:14:49.271 maps.cc:47] 00400000-00fcb000: server
_LOG_PREFIX = regex(rb"[^\[\]]+:[0-9]+\]\s")
# libc.so.6   libfoo_1.so
_LIBRARY = regex(r"[.]so$|[.]so[._][0-9]+")

_SENTINELS = (b"--- Memory map: ---", b"MAPPED_LIBRARIES:")


def opens_maps(line: bytes) -> bool:
    """Return whether the lines after this one are a memory map."""
    return any(sentinel in line for sentinel in _SENTINELS)


def read_maps(lines: Iterable[bytes]) -> list[Mapping]:
    """Return the executable mappings, adjacent parts joined, the main program first."""
    mappings: list[Mapping] = []
    attributes: dict[bytes, bytes] = {}  # build=/home/x  ...  $build/server
    for raw in lines:
        if len(raw) > _MAX_LINE:
            continue
        line = raw.rstrip()
        if prefix := _LOG_PREFIX.match(line):
            line = line[prefix.end() :]
        if attributes and b"$" in line:
            for name, value in attributes.items():
                line = line.replace(name, value)[:_MAX_LINE]
        found = _PROC.match(line) or _BRIEF.match(line)
        if found is None:
            name, equals, value = line.partition(b"=")
            if equals and name.strip() and len(attributes) < _MAX_ATTRIBUTES:
                attributes[b"$" + name.strip()] = value.strip()
            continue
        if found["perm"] and b"x" not in found["perm"]:
            continue
        parts = found.groupdict()
        mapping = Mapping(
            start=int(parts["start"], 16),
            limit=int(parts["limit"], 16),
            offset=int(parts["offset"] or b"0", 16),
            file=(parts["file"] or b"").decode("utf-8", "replace"),
            build_id=(parts.get("build") or b"").decode("ascii", "replace"),
        )
        if mappings and _continues(mappings[-1], mapping):
            last = mappings[-1]
            mappings[-1] = replace(
                last,
                limit=mapping.limit,
                file=mapping.file or last.file,
                build_id=mapping.build_id or last.build_id,
            )
        elif len(mappings) < MAX_MAPPINGS:
            mappings.append(mapping)
    return _main_first(mappings)


def _continues(first: Mapping, second: Mapping) -> bool:
    """Return whether two neighbours are one mapped file in two parts."""
    if first.file and second.file and first.file != second.file:
        return False
    if first.build_id and second.build_id and first.build_id != second.build_id:
        return False
    if first.limit != second.start:
        return False
    return not (first.offset and second.offset) or first.offset + first.limit - first.start == second.offset


def _main_first(mappings: list[Mapping]) -> list[Mapping]:
    for index, mapping in enumerate(mappings):
        file = mapping.file.replace("(deleted)", "").strip()
        if file and not file.startswith("[") and not _LIBRARY.search(file):
            mappings[0], mappings[index] = mappings[index], mappings[0]
            break
    if len(mappings) > 1 and mappings[0].file.startswith("/anon_hugepage") and mappings[0].limit == mappings[1].start:
        del mappings[0]
    # Some profilers report the main program's remapped text segment only; its image starts here on x86-64.
    if mappings and mappings[0].start - mappings[0].offset == 0x400000:
        mappings[0] = replace(mappings[0], start=0x400000, offset=0)
    return mappings


def assign(addresses: UInt64s, mappings: list[Mapping]) -> tuple[Int32s, tuple[Mapping, ...]]:
    """Return the row of each address's mapping, -1 for address 0, and the mappings as they came out of it.

    As in google/pprof, an address outside every mapping gets one made for it that covers everything, and an address
    right below a mapping widens that mapping by its offset.
    """
    order = np.argsort(addresses, kind="stable")
    ranked = addresses[order]
    owner = np.full(len(addresses), -1, np.int32)
    for row in range(len(mappings) - 1, -1, -1):  # backwards, so that the first mapping wins
        _claim(owner, ranked, mappings[row].start, mappings[row].limit, row)
    loose = np.flatnonzero((owner < 0) & (ranked > 0))
    if len(loose):
        below = owner[loose]
        for row in range(len(mappings) - 1, -1, -1):
            mapping = mappings[row]
            if 0 < mapping.offset <= mapping.start:
                _claim(below, ranked[loose], mapping.start - mapping.offset, mapping.start, row)
        for row in unique_values(below[below >= 0]).tolist():
            mappings[row] = replace(mappings[row], start=mappings[row].start - mappings[row].offset, offset=0)
        if (below < 0).any():
            mappings = [*mappings, Mapping(limit=_TOP)]
            below[below < 0] = len(mappings) - 1
        owner[loose] = below
    rows = np.empty_like(owner)
    rows[order] = owner
    return rows, tuple(mappings)


def _claim(owner: Int32s, ranked: UInt64s, start: int, limit: int, row: int) -> None:
    if start < limit:
        first, last = np.searchsorted(ranked, np.array([start, limit], np.uint64))
        owner[first:last] = row
