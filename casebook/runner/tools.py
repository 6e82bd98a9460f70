"""What the commands of the casebook share: the toolchains of the tests (tests/toolchain.py), and two processes."""

import gc
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import toolchain  # noqa: E402  (shared with the tests, in whose folder it lies)


def processes() -> ProcessPoolExecutor:
    """Return two processes for diagnoses. They seldom look for cycles, which costs a third; the product never does."""
    return ProcessPoolExecutor(2, initializer=gc.set_threshold, initargs=(100_000, 20, 20))


__all__ = ["ROOT", "processes", "toolchain"]
