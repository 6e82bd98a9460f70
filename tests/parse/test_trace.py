"""Go execution traces are named, not analysed."""

import pytest

from oakum.parse import trace


@pytest.mark.parametrize(
    "version", ["1.5", "1.7", "1.8", "1.9", "1.10", "1.11", "1.19", "1.21", "1.22", "1.23", "1.25", "1.27"]
)
def test_every_version(version: str) -> None:
    data = f"go {version} trace".encode().ljust(16, b"\0") + b"\x80\x01"
    (reading,) = trace.read(data)
    assert (reading.kind, reading.format, reading.go_version) == ("trace", "trace", f"go{version}")
    assert reading.problems[0].text.key == "problem.not-analysed"
    assert not reading.usable


@pytest.mark.parametrize("data", [b"", b"go 1.22 tracer", b"go 2 trace\0", b" go 1.22 trace\0\0\0"])
def test_not_mine(data: bytes) -> None:
    assert trace.read(data) == ()
