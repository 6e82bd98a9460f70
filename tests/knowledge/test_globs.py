"""A star in a name stands for anything, as `.*` does in a regular expression."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakum.knowledge.globs import glob, is_glob

PARTS = st.text("ab.(*", max_size=6)


@given(PARTS, PARTS)
def test_a_star_is_anything(pattern: str, name: str) -> None:
    words = [re.escape(part) for part in re.split(r"(?<!\()\*", pattern)]
    assert glob(pattern)(name) == bool(re.fullmatch(".*".join(words), name, re.DOTALL))
    assert is_glob(pattern) == (len(words) > 1)


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("k8s.io/klog/v*.(*flushDaemon).run", "k8s.io/klog/v2.(*flushDaemon).run", True),
        ("k8s.io/klog/v*.(*flushDaemon).run", "k8s.io/klog.(*flushDaemon).run", False),
        ("*ab*b", "ab", False),
        ("(*T).Run", "(*T).Run", True),
    ],
)
def test_names(pattern: str, name: str, fits: bool) -> None:
    assert glob(pattern)(name) is fits
