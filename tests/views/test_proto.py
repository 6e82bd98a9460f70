"""A written profile is the profile that was read, for our reader and for pprof's own."""

import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from oakum.model import (
    Functions,
    LabelSets,
    Locations,
    Mapping,
    Profile,
    Stacks,
    Strings,
    ValueType,
)
from oakum.parse import pprof
from oakum.parse.compression import unpack
from oakum.views.proto import encode
from pprof_message import heap_profile
from support import need_shared
from toolchain import environment, need_go

INT64 = st.integers(-(2**63), 2**63 - 1)
UINT64 = st.integers(0, 2**64 - 1)
TEXT = st.text(st.characters(codec="utf-8"), max_size=6)


def int32s(*numbers: int) -> "np.typing.NDArray[np.int32]":
    return np.array(numbers, np.int32)


def int64s(*numbers: int) -> "np.typing.NDArray[np.int64]":
    return np.array(numbers, np.int64)


def difference(left: object, right: object, path: str = "profile") -> str:
    """Return where two profiles differ; "" when they do not."""
    if isinstance(left, Struct):
        names = left.__struct_fields__
        found = (difference(getattr(left, name), getattr(right, name), f"{path}.{name}") for name in names)
        return next(filter(None, found), "")
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return "" if left.dtype == right.dtype and np.array_equal(left, right) else path
    if isinstance(left, Strings) and isinstance(right, Strings):
        texts = ([table.raw(row) for row in range(len(table))] for table in (left, right))
        return "" if next(texts) == next(texts) else path
    if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
        return next(filter(None, (difference(left[key], right[key], f"{path}[{key}]") for key in left)), "")
    return "" if left == right else path


def again(profile: Profile, compress: bool = True) -> Profile:
    """Return what reading the written profile gives, without any problem."""
    data, wrapping, problems = unpack(encode(profile, compress))
    assert wrapping == (("gzip",) if compress else ())
    assert problems == ()
    reading = pprof.read(data)
    assert reading is not None
    assert reading.problems == ()
    assert reading.profile is not None
    return reading.profile


@st.composite
def profiles(draw: st.DrawFn) -> Profile:
    """Return a profile as the reader could give it: tables consistent, stacks and label sets numbered as they come."""
    texts = [b"", *draw(st.lists(st.one_of(TEXT.map(str.encode), st.binary(max_size=4)), min_size=1, max_size=8))]
    row = st.integers(0, len(texts) - 1)
    types = tuple(draw(st.lists(st.builds(ValueType, TEXT, TEXT), min_size=1, max_size=3)))
    mappings = tuple(
        draw(st.lists(st.builds(Mapping, UINT64, UINT64, UINT64, TEXT, TEXT, *[st.booleans()] * 4), max_size=3))
    )
    functions = draw(st.lists(st.tuples(row, row, row, INT64), max_size=4))
    line = st.tuples(st.integers(0, len(functions) - 1), INT64)
    lines = st.lists(line, max_size=3) if functions else st.just([])
    places = draw(st.lists(st.tuples(UINT64, st.integers(-1, len(mappings) - 1), st.booleans(), lines), max_size=4))
    stack = st.lists(st.integers(0, len(places) - 1), max_size=6) if places else st.just([])
    label = st.tuples(row, row, INT64, row)
    values = st.lists(INT64, min_size=len(types), max_size=len(types))
    samples = draw(st.lists(st.tuples(stack.map(tuple), values, st.lists(label, max_size=3).map(tuple)), max_size=12))
    stacks = list(dict.fromkeys(stack for stack, _, _ in samples))
    sets = list(dict.fromkeys([(), *(labels for _, _, labels in samples)]))
    members = [label for labels in sets for label in labels]
    all_lines = [line for *_, lines in places for line in lines]
    profile = Profile(
        kind="",
        sample_types=types,
        values=np.array([values for _, values, _ in samples], np.int64).reshape(len(samples), len(types)).T.copy(),
        stack_ids=int32s(*(stacks.index(stack) for stack, _, _ in samples)),
        label_ids=int32s(*(sets.index(labels) for _, _, labels in samples)),
        stacks=Stacks(
            int64s(*np.cumsum([0, *map(len, stacks)])), int32s(*(place for stack in stacks for place in stack))
        ),
        label_sets=LabelSets(
            int64s(*np.cumsum([0, *map(len, sets)])),
            int32s(*(key for key, _, _, _ in members)),
            int32s(*(text for _, text, _, _ in members)),
            int64s(*(number for _, _, number, _ in members)),
            int32s(*(unit for _, _, _, unit in members)),
        ),
        locations=Locations(
            np.array([address for address, *_ in places], np.uint64),
            int32s(*(mapping for _, mapping, _, _ in places)),
            np.array([folded for _, _, folded, _ in places], np.bool_),
            int64s(*np.cumsum([0, *(len(lines) for *_, lines in places)])),
            int32s(*(function for function, _ in all_lines)),
            int64s(*(number for _, number in all_lines)),
        ),
        functions=Functions(
            int32s(*(name for name, _, _, _ in functions)),
            int32s(*(system for _, system, _, _ in functions)),
            int32s(*(file for _, _, file, _ in functions)),
            int64s(*(start for _, _, _, start in functions)),
        ),
        strings=Strings.of(texts),
        mappings=mappings,
        default_sample_type=draw(TEXT),
        period_type=draw(st.none() | st.builds(ValueType, TEXT, TEXT)),
        period=draw(INT64),
        time_nanos=draw(INT64),
        duration_nanos=draw(INT64),
        comments=tuple(draw(st.lists(TEXT, max_size=3))),
        drop_frames=draw(TEXT),
        keep_frames=draw(TEXT),
        doc_url=draw(TEXT),
    )
    columns = int64s(*draw(st.lists(INT64, min_size=len(all_lines), max_size=len(all_lines))))
    return replace(profile, extra={"line_columns": columns}) if columns.any() else profile


@settings(max_examples=60, deadline=None)
@given(profiles(), st.booleans())
def test_written_and_read_again(profile: Profile, compress: bool) -> None:
    read = again(profile, compress)
    # Texts that the table lacked are added behind it; the kind is told by the sample types.
    assert [read.strings.raw(row) for row in range(len(profile.strings))] == [
        profile.strings.raw(row) for row in range(len(profile.strings))
    ]
    assert difference(replace(profile, kind=read.kind, strings=read.strings), read) == ""
    assert difference(again(read), read) == ""


def test_the_same_profile_gives_the_same_bytes() -> None:
    profile = again_of(heap_profile(50))
    assert encode(profile) == encode(profile)
    assert encode(again(profile)) == encode(profile)
    # mtime 0, no name
    assert encode(profile)[3:8] == bytes(5)


def again_of(data: bytes) -> Profile:
    reading = pprof.read(data)
    assert reading is not None
    assert reading.profile is not None
    return reading.profile


def test_a_large_profile_comes_back() -> None:
    profile = again_of(heap_profile(4000))
    assert difference(again(profile), profile) == ""


def test_an_empty_string_table_gets_its_first_entry() -> None:
    profile = replace(again_of(heap_profile(0, functions=0)), strings=Strings.of([]), mappings=())
    read = again(profile)
    assert read.strings.raw(0) == b""
    assert read.sample_types == profile.sample_types


def test_a_line_without_function_gets_one() -> None:
    # pprof refuses a profile whose lines have no function.
    profile = again_of(heap_profile(3))
    lines = replace(profile.locations, line_function=np.full(len(profile.locations), -1, np.int32))
    read = again(replace(profile, locations=lines))
    assert len(read.functions) == len(profile.functions) + 1
    assert read.stack(0).functions == ("<unknown>",)


def raw(executable: Path, file: Path) -> str:
    """Return what `go tool pprof -raw` prints of a profile."""
    done = subprocess.run(
        [executable, "tool", "pprof", "-symbolize=none", "-raw", file],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
        env={**environment(), "PPROF_TMPDIR": str(file.parent)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def samples_of(text: str) -> Counter[tuple[tuple[int, ...], int]]:
    """Return how often each (values, depth) occurs among the samples that -raw prints."""
    found: Counter[tuple[tuple[int, ...], int]] = Counter()
    for line in text.partition("Samples:\n")[2].partition("Locations\n")[0].splitlines()[1:]:
        values, _, stack = line.partition(":")
        if values.strip() and values.lstrip()[0] in "-0123456789" and "[" not in stack:
            found[tuple(map(int, values.split())), len(stack.split())] += 1
    return found


def samples_in(profile: Profile) -> Counter[tuple[tuple[int, ...], int]]:
    depths = np.diff(profile.stacks.starts)
    return Counter(
        (tuple(values), int(depths[stack]))
        for values, stack in zip(profile.values.T.tolist(), profile.stack_ids.tolist(), strict=True)
    )


@pytest.mark.peer
def test_pprof_opens_what_we_write(tmp_path: Path) -> None:
    executable = need_go()
    profile = again_of(heap_profile(300))
    for compress in (True, False):
        (tmp_path / "heap").write_bytes(encode(profile, compress))
        text = raw(executable, tmp_path / "heap")
        assert "main.f7 main.go:" in text
        assert "M=1" in text
        assert samples_of(text) == samples_in(profile)
    lines = replace(profile.locations, line_function=np.full(len(profile.locations), -1, np.int32))
    (tmp_path / "heap").write_bytes(encode(replace(profile, locations=lines)))
    assert "<unknown>" in raw(executable, tmp_path / "heap")


def shared_profiles() -> list[tuple[Path, Profile]]:
    found = []
    for path in sorted(path for path in need_shared().rglob("*") if path.is_file()):
        reading = pprof.read(unpack(path.read_bytes())[0])
        if reading is not None and reading.profile is not None:
            found.append((path, reading.profile))
    return found


@pytest.mark.shared
@pytest.mark.slow
def test_shared_evidence_comes_back() -> None:
    found = shared_profiles()
    assert len(found) > 170
    for path, profile in found:
        assert difference(again(profile), profile) == "", path


@pytest.mark.shared
@pytest.mark.peer
def test_pprof_reads_ours_as_the_original(tmp_path: Path) -> None:
    executable = need_go()
    folder = need_shared()
    for name in (
        "pprof/go/pyroscope-heap",
        "pprof/go/notes-cpu-labels.pb.gz",
        "pprof/other/pyroscope-dotnet.labels.pprof",
    ):
        original = folder / name
        (tmp_path / "ours").write_bytes(encode(again_of(bytes(unpack(original.read_bytes())[0]))))
        assert raw(executable, tmp_path / "ours") == raw(executable, original)
