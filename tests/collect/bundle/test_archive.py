"""Archives as directories, and those that somebody made to hurt."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oakum.collect.bundle import archive as module
from oakum.collect.bundle.archive import is_archive, members
from oakum.model import Argument, Problem
from oakum.report.words.lines import problem_line

Files = dict[str, bytes]
FILES: Files = {"b/orders/1/log.txt": b"one\n" * 300, "b/orders/10/heap.pb.gz": gzip.compress(b"two"), "b/empty": b""}


def tar(files: Files, form: int = tarfile.PAX_FORMAT, *more: tarfile.TarInfo) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for name, data in files.items():
            row = tarfile.TarInfo(name)
            row.size, row.mtime = len(data), 1_794_000_000
            archive.addfile(row, io.BytesIO(data))
        for row in more:
            archive.addfile(row)
    return out.getvalue()


def zipped(files: Files, how: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", how) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def read(data: bytes) -> tuple[Files, list[str]]:
    told: list[str] = []

    def complain(name: str, /, **args: Argument) -> None:
        told.append(problem_line(Problem.of(f"unread.{name}", origin="", **args)).removeprefix(": "))

    return {member.path: member.data for member in members(data, complain)}, told


def unheard(_: str, /, **args: Argument) -> None:
    """Take what is told, and leave it."""


def link(name: str, kind: bytes, to: str = "/etc/passwd") -> tarfile.TarInfo:
    row = tarfile.TarInfo(name)
    row.type, row.linkname = kind, to
    return row


@pytest.mark.parametrize(
    "packed",
    [
        lambda: tar(FILES),
        lambda: tar(FILES, tarfile.GNU_FORMAT),
        lambda: tar(FILES, tarfile.USTAR_FORMAT),
        lambda: gzip.compress(tar(FILES)),
        lambda: gzip.compress(tar(FILES)[:1000]) + gzip.compress(tar(FILES)[1000:]),  # pigz, cat a b
        lambda: bz2.compress(tar(FILES)),
        lambda: lzma.compress(tar(FILES)),
        lambda: zipped(FILES),
        lambda: zipped(FILES, zipfile.ZIP_STORED),
    ],
)
def test_every_form(packed: Callable[[], bytes]) -> None:
    assert is_archive(packed())
    assert read(packed()) == (FILES, [])


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_long_and_foreign_names(form: int) -> None:
    files = {"b/" + "long/" * 40 + "x.txt": b"1", "b/线程.txt": b"2"}
    assert read(tar(files, form)) == (files, [])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"goroutine 1 [running]:\n",
        gzip.compress(b"text", mtime=0),
        b"PK",
        b"\0" * 2048,
        b"BZh91AY&SY",
        b"\x1f\x8b\x08",
    ],
)
def test_what_is_no_archive(data: bytes) -> None:
    assert not is_archive(data)


def test_names_that_lead_out_are_left_out() -> None:
    files = {
        "../../x": b"1",
        "/etc/passwd": b"2",
        "a/../../b": b"3",
        "good.txt": b"4",
        ".ssh/id": b"5",
        "__MACOSX/._a": b"6",
    }
    for data in (tar(files), zipped(files)):
        found, told = read(data)
        assert found == {"good.txt": b"4"}
        assert told == ["3 files of the archive left out: names that lead out of the archive"]


def test_links_and_devices_are_left_out() -> None:
    rows = [
        link("a", tarfile.SYMTYPE),
        link("b", tarfile.LNKTYPE),
        link("c", tarfile.CHRTYPE),
        link("d", tarfile.FIFOTYPE),
    ]
    found, told = read(tar({"x": b"1"}, tarfile.PAX_FORMAT, *rows))
    assert found == {"x": b"1"}
    assert told == [
        "2 links in the archive left out: only plain files are read",
        "1 device in the archive left out: only plain files are read",
        "1 pipe in the archive left out: only plain files are read",
    ]


def test_the_first_of_two_files_of_one_name() -> None:
    data = tar({"x": b"1"})[:1024] + tar({"x": b"2"})
    assert read(data) == ({"x": b"1"}, ["1 file of the archive left out: names that were there before"])


def test_what_came_before_a_cut_is_read() -> None:
    whole = tar(FILES)
    for cut in (100, 512, 700, 1800, 2600, len(whole) - 9000):
        found, told = read(whole[:cut])
        assert all(FILES[name].startswith(data) for name, data in found.items())
        assert len(told) == 1 or found == FILES, cut
    packed = gzip.compress(tar({"a": bytes(range(256)) * 40, "b": b"2" * 9000}), 1)
    found, told = read(packed[: len(packed) - 60])
    assert found["a"] == bytes(range(256)) * 40
    assert "cut" in told[0]
    problem = next(m.problems for m in members(whole[:700], unheard))
    assert problem[0].key == "cut-archive"


def test_a_zip_without_its_end() -> None:
    data = zipped(FILES)
    assert is_archive(data)
    found, told = read(data[: len(data) // 2])
    assert found == {}
    assert "cut or broken" in told[0]


def test_broken_bytes_in_a_zip_spoil_one_file() -> None:
    data = bytearray(zipped({"a": b"1" * 500, "b": b"2" * 500}, zipfile.ZIP_STORED))
    data[100] ^= 0xFF
    found, told = read(bytes(data))
    assert list(found) == ["b"]
    assert "a: left out: the zip is broken there" in told[0]


def test_bombs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FREE_BYTES", 1 << 18)
    for data in (gzip.compress(tar({"x": bytes(8 << 20)}), 9), zipped({"x": bytes(8 << 20)})):
        found, told = read(data)
        assert found == {}
        assert told == [
            "refused: the archive unpacks to more than an archive of its size should; unpack it yourself first"
        ]


def test_a_header_that_is_a_bomb() -> None:
    row = tarfile.TarInfo("././@LongLink")
    row.type, row.size = tarfile.GNUTYPE_LONGNAME, 1 << 40
    found, told = read(tar({"x": b"1"})[:1024] + row.tobuf(tarfile.GNU_FORMAT) + b"A" * 4096)
    assert found == {"x": b"1"}
    assert "a header in it is too long" in told[0]


def test_too_many_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_FILES", 10)
    files = {f"f{at}": b"" for at in range(30)}
    for data in (tar(files, tarfile.USTAR_FORMAT), zipped(files)):
        found, told = read(data)
        assert len(found) <= 20
        assert told == ["only the first 10 files of the archive are read"]


def test_an_encrypted_zip_is_said() -> None:
    data = bytearray(zipped({"x": b"1"}, zipfile.ZIP_STORED))
    for at in (6, data.find(b"PK\x01\x02") + 8):  # in both of its headers
        data[at] |= 1
    found, told = read(bytes(data))
    assert found == {}
    assert told == ["x: left out: it is encrypted; unpack the zip with its password first"]


@settings(max_examples=30)
@given(st.binary(max_size=200), st.integers(0, 6000), st.sampled_from(["tar", "gz", "zip", "xz"]))
def test_nothing_raises(noise: bytes, at: int, form: str) -> None:
    whole = {"tar": tar(FILES), "gz": gzip.compress(tar(FILES)), "zip": zipped(FILES), "xz": lzma.compress(tar(FILES))}[
        form
    ]
    at %= len(whole)
    data = whole[:at] + noise + whole[at + len(noise) :]
    is_archive(data)
    read(data)
