"""The incident report in a real browser: nothing fails, nothing is asked of a network, every link leads somewhere."""

import gzip
import json
from pathlib import Path

import pytest

from browser import Page
from oakum.report.html import render
from oakum.report.json import diagnosis
from oakum.report.page.incident import incident

pytestmark = pytest.mark.browser
DATA = Path(__file__).parent / "testdata"
_DEAD = """[...document.querySelectorAll('a[href^="#"]')].map(a => a.getAttribute("href").slice(1))
    .filter(id => !document.getElementById(decodeURIComponent(id)))"""
_WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


def test_incident_pages_open_cleanly(tmp_path: Path, browser: Page) -> None:
    for name, lang, width, dark in (
        ("open-simulator-88", "zh", 1280, False),
        ("kubernetes-98653", "en", 420, True),
        ("one-moment", "zh", 800, False),
        ("healthy-pool", "en", 1280, True),
    ):
        with gzip.open(DATA / f"{name}.json.gz") as file:
            told = diagnosis(json.load(file))
        written = tmp_path / f"{name}.html"
        written.write_text(render(incident(told, lang), None, {}), encoding="utf-8")
        browser.open(written.as_uri(), width, dark=dark)
        assert browser.errors == []
        assert [one for one in browser.requests if not one.startswith(("file:", "data:"))] == []
        assert browser.run("document.documentElement.lang").startswith(lang)
        assert browser.run(_DEAD) == []
        assert not browser.run(_WIDER), name
