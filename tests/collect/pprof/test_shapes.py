"""What an answer is, told by how it begins."""

import gzip

import pytest

from collect.pprof.pretend import LOGIN, index, metrics, recorded
from oakum.collect.pprof.shapes import Shape, opened, shape
from support import RECORDED

_EXPECTED: tuple[tuple[str, Shape], ...] = (
    (".pb.gz", "profile"), ("heap.debug1.txt", "heap"), ("allocs.debug1.txt", "heap"), (".debug1.txt", "counts"),
    ("goroutine.debug2.txt", "dump"), ("goroutineleak.debug2.txt", "dump"), ("trace.out", "other"),
)  # fmt: skip


@pytest.mark.parametrize("go", sorted(path.name for path in RECORDED.iterdir()))
def test_what_go_writes_is_known(go: str) -> None:
    checked = 0
    for path in sorted((RECORDED / go).rglob("*.*")):
        expected = next(
            (shape for ending, shape in _EXPECTED if path.name.removesuffix(".txt.gz").endswith(ending)), None
        )
        expected = expected or next((shape for ending, shape in _EXPECTED if path.name.endswith(ending)), None)
        if expected is not None:
            assert shape(path.read_bytes()) == expected, path.name
            checked += 1
    assert checked > 5


@pytest.mark.parametrize("go", ["go1.19", "go1.26", "go1.27"])
def test_the_index_is_known(go: str) -> None:
    assert shape(index(go)) == "index"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (LOGIN, "page"),
        (b"\n\n  <!doctype html><html></html>", "page"),
        (b"<!-- a comment first --><html>", "page"),
        (metrics(), "metrics"),
        (b"go_goroutines 13\nprocess_open_fds 9\n", "metrics"),
        (b'{"major": "1"}', "json"),
        (b"", "empty"),
        (b"\n", "empty"),
        (b"\x1f\x8b", "other"),
        (b"\nhello", "other"),
        (b"404 page not found\n", "other"),
        (b"Debug endpoints are disabled.\n", "other"),
        (b"\x00\x00\x00", "other"),
    ],
)
def test_other_answers(data: bytes, expected: Shape) -> None:
    assert shape(data) == expected
    if expected not in ("empty", "other"):  # a gateway may have packed it
        assert shape(gzip.compress(data)) == expected


def test_a_profile_that_a_gateway_packed_again_is_one() -> None:
    assert shape(gzip.compress(recorded("heap.pb.gz"))) == "profile"
    assert shape(gzip.decompress(recorded("heap.pb.gz"))) == "profile"


def test_a_bomb_is_opened_only_so_far() -> None:
    bomb = gzip.compress(gzip.compress(bytes(16 << 20)))
    assert len(opened(bomb, 1 << 16)) <= 1 << 16
    assert shape(bomb) in ("profile", "other")


def test_every_beginning_of_a_profile_gives_some_answer() -> None:
    data = recorded("goroutine.pb.gz")
    assert {shape(data[:end]) for end in range(200)} <= {"empty", "other", "profile"}
