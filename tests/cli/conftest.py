"""What the tests of commands share: a small heap profile, and the command line run in this process."""

from collections.abc import Callable
from pathlib import Path

import pytest

from folded_profile import HEAP, folded_profile
from oakum import cli
from oakum.views.proto import encode
from support import Answer

Call = Callable[..., Answer]
STACKS = {"main.main;app.serve;app.read": (1, 512), "main.main;app.serve": (2, 1024), "runtime.gc": (1, 64)}


@pytest.fixture
def oakum(capsys: pytest.CaptureFixture[str]) -> Call:
    """Return a function that runs the command line in this process and returns what it left."""

    def call(*arguments: str | Path) -> Answer:
        code = cli.run([str(argument) for argument in arguments])
        return Answer(code, *capsys.readouterr())

    return call


@pytest.fixture
def heap(tmp_path: Path) -> Path:
    """Return a small heap profile in a file."""
    file = tmp_path / "heap.pb.gz"
    file.write_bytes(encode(folded_profile(STACKS, HEAP, kind="heap")))
    return file
