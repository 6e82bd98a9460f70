"""Profiles in goref's documented form are read as holders; what looks like them and is none stays what it is.

goref cannot be had here: these profiles are made after the format that its documentation describes.
"""

from collections.abc import Sequence

import pytest

from oakum.model import Capture, Reading
from oakum.model.holders import Holder
from oakum.parse import parse
from pprof_message import field, location, message, packed, strings, value_type

PATHS: list[tuple[tuple[str, ...], int, int]] = [  # root first, objects, bytes
    (("main.registry",), 1, 48),
    (("main.registry", "sessions"), 1, 4096),
    (("main.registry", "sessions", "$mapval"), 20_000, 1_280_000),
    (("main.registry", "sessions", "$mapval", "body"), 20_000, 80_000_000),
    (("main.registry", "sessions", "$mapval", "body", "$sub_objects$"), 10, 1000),
    (("main.(*Server).run.pending",), 3, 96),
]


def profile(paths: Sequence[tuple[tuple[str, ...], int, int]], types: tuple[str, str] = ("inuse_objects", "inuse_space"),
            file: str = "", line: int = 0) -> bytes:  # fmt: skip
    """Return a profile with one function and one location for each name."""
    names = list(dict.fromkeys(name for path, _, _ in paths for name in path))
    texts = ["", types[0], "count", types[1], "bytes", file, *names]
    data = strings(*texts) + value_type(1, 2) + value_type(3, 4)
    for number, name in enumerate(names, 1):
        data += field(5, message((1, number), (2, texts.index(name)), (4, 5 if file else 0)))
        data += location(number, (number, line))
    for path, objects, size in paths:
        data += field(2, packed(1, [names.index(one) + 1 for one in reversed(path)]) + packed(2, [objects, size]))
    return data


def read(data: bytes) -> Reading:
    (found,) = parse(Capture("p.pb", data))
    return found


def test_holding_paths_are_holders() -> None:
    found = read(profile(PATHS))
    assert (found.kind, found.format, found.problems) == ("holders", "goref", ())
    assert found.holders is not None
    assert not found.holders.exact
    first, second = found.holders.roots
    assert (first.name, first.kind, first.bytes, first.objects) == ("main.registry", "global", 81_285_144, 40_012)
    assert (second.name, second.kind) == ("main.(*Server).run.pending", "goroutine")
    path: list[Holder] = [node for _, node in first.walk()]
    assert [node.name for node in path] == ["main.registry", "sessions", "$mapval", "body"]
    assert path[1].entries == 20_000
    assert path[3].bytes == 80_001_000, "what goref did not name counts where it lies"


@pytest.mark.parametrize(
    "data",
    [
        profile(PATHS, file="main.go"),
        profile(PATHS, line=12),
        profile(PATHS, types=("objects", "space")),
        profile([(("main.main", "main.fill"), 3, 300)]),
    ],
)
def test_other_profiles_of_memory_are_none(data: bytes) -> None:
    found = read(data)
    assert found.format == "pprof"
    assert found.holders is None


def test_cut_anywhere() -> None:
    data = profile(PATHS)
    for cut in range(len(data)):
        read(data[:cut])


def test_deep_and_wide_paths_are_bounded() -> None:
    deep = tuple(f"f{number}" for number in range(400))
    wide = [(("main.all", f"$mapval {number}"), 1, 8) for number in range(30_000)]
    found = read(profile([(("main.deep", *deep), 1, 8), *wide]))
    assert found.holders is not None
    assert found.holders.bytes == 8 * 30_001
    assert {root.name: root.bytes for root in found.holders.roots} == {"main.all": 8 * 30_000, "main.deep": 8}
