"""Patterns that are compiled when they are first used behave as compiled ones do."""

import importlib
import pkgutil
import re
from unittest.mock import patch

import pytest

import oakum
from oakum import regex as lazy
from oakum.regex import regex


def test_it_is_compiled_once_when_it_is_used() -> None:
    with patch("re.compile", wraps=re.compile) as compiled:
        pattern = regex(r"(\d+) minutes", re.IGNORECASE)
        assert pattern.pattern == r"(\d+) minutes"
        assert compiled.call_count == 0
        found = pattern.search("[select, 12 Minutes]")
        assert found is not None
        assert found[1] == "12"
        assert pattern.sub("", "1 minutes") == ""
        assert pattern.findall("1 minutes, 2 minutes") == ["1", "2"]
        assert compiled.call_count == 1


def test_a_mistake_shows_when_it_is_used() -> None:
    pattern = regex("(")
    with pytest.raises(re.error):
        pattern.match("")


def test_every_pattern_of_the_program_compiles() -> None:
    for module in pkgutil.walk_packages(oakum.__path__, "oakum."):
        if module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, lazy._Lazy):
                assert value.groups >= 0, f"{module.name}.{name}"
