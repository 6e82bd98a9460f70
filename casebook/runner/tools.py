"""Go for the casebook: the same toolchains that the tests use, found or installed by tests/toolchain.py."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import toolchain  # noqa: E402  (shared with the tests, in whose folder it lies)

__all__ = ["ROOT", "toolchain"]
