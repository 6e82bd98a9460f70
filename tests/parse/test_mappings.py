"""Memory maps at the end of legacy profiles."""

import time

import numpy as np
import pytest

from oakum.model import Mapping
from oakum.parse.mappings import MAX_MAPPINGS, assign, opens_maps, read_maps


def places(*lines: str) -> list[tuple[str, int, int, int]]:
    return [(m.file, m.start, m.limit, m.offset) for m in read_maps(line.encode() for line in lines)]


def test_proc_maps_and_the_brief_form() -> None:
    assert places("00400000-00500000 r-xp 00001000 08:01 42    /srv/app") == [("/srv/app", 0x400000, 0x500000, 0x1000)]
    assert places("0x40000-0x80000 /srv/app (@FF00) abc123") == [("/srv/app", 0x40000, 0x80000, 0xFF00)]
    assert places("  00600000-00fcb000: server") == [("server", 0x600000, 0xFCB000, 0)]
    assert read_maps([b"0x40000-0x80000 /srv/app (@FF00) abc123"])[0].build_id == "abc123"


def test_what_cannot_be_executed_is_left_out() -> None:
    assert places("00400000-00500000 rw-p 00001000 08:01 42    /srv/app", "nonsense", "") == []


def test_parts_of_one_file_are_joined() -> None:
    parts = ("00a00000-00a01000 r-xp 00000000 08:01 42 /a", "00a01000-00a03000 r-xp 00001000 08:01 42 /a")
    assert places(*parts) == [("/a", 0xA00000, 0xA03000, 0)]
    apart = ("00a00000-00a01000 r-xp 00001000 08:01 42 /a", "00a01000-00a03000 r-xp 00009000 08:01 42 /a")
    assert len(places(*apart)) == 2
    assert len(places(parts[0], "00a01000-00a03000 r-xp 00001000 08:01 42 /b")) == 2


def test_the_program_comes_first() -> None:
    lines = ("7f00-7f10: /lib/libc.so.6", "7f20-7f30: [vdso]", "8000-9000: /srv/app", "a000-a001: /srv/other")
    assert [place[0] for place in places(*lines)] == ["/srv/app", "[vdso]", "/lib/libc.so.6", "/srv/other"]


def test_the_usual_start_of_programs() -> None:
    assert places("00402000-00500000 r-xp 00002000 08:01 42 /srv/app") == [("/srv/app", 0x400000, 0x500000, 0)]


def test_attributes_and_log_prefixes() -> None:
    assert places("build=/srv/b1", "I0313 16:14 m.cc:4] 8000-9000: $build/app") == [("/srv/b1/app", 0x8000, 0x9000, 0)]


def test_assign_gives_every_address_a_mapping() -> None:
    mappings = [
        Mapping(0x1000, 0x2000, 0, "/a"),
        Mapping(0x9000, 0xA000, 0x1000, "/b"),
        Mapping(0x1800, 0x3000, 0, "/c"),
    ]
    addresses = np.array([0x1900, 0, 0x8FFF, 0x2800, 0x5000, 0x9000], np.uint64)
    rows, final = assign(addresses, mappings)
    assert rows.tolist() == [0, -1, 1, 2, 3, 1]
    assert final[1] == Mapping(0x8000, 0xA000, 0, "/b")  # widened: an address lay right below it
    assert final[3] == Mapping(0, (1 << 64) - 1)  # made for the one that lies in none


@pytest.mark.parametrize("line", ["a" * 100_000, "0x" * 3000, "1-2 " + "r" * 4000, "=" * 4000, "a=" + "$a" * 1000])
def test_hostile_lines_cost_no_time(line: str) -> None:
    begin = time.process_time()
    assert read_maps([line.encode()] * 50) == []
    assert time.process_time() - begin < 1.0  # some milliseconds where nothing else runs


def test_there_is_a_cap() -> None:
    lines = [f"{start:x}-{start + 16:x}: /f{start}".encode() for start in range(0, (MAX_MAPPINGS + 5) * 32, 32)]
    assert len(read_maps(lines)) == MAX_MAPPINGS


def test_sentinels() -> None:
    assert opens_maps(b"--- Memory map: ---")
    assert opens_maps(b"MAPPED_LIBRARIES:")
    assert not opens_maps(b"--- mutex:")
