"""The five incidents as `oakum demo` writes them, with source and drafted fixes, in a real browser: English and Chinese,
the report and the incident report. Each page is opened once; what can be looked at together is one test."""

import contextlib
import json
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from browser import Page
from oakum import cli
from oakum.cli.demo_incidents import INCIDENTS, REPORT, lay_out
from support import DEMO, ROOT

pytestmark = pytest.mark.browser
_NARROW, _WIDE = 400, 1280
_PHONE = 800
_HIGH = 900  # of a laptop's window
_TALLEST = 4000  # of a page of one finding; each other one is a line of its own and one in a table
_MORE_FOR_EACH = 250
_MORE_FOR_A_CHAIN = (
    450  # its row on the first screen, who waits in other processes, and a library's source where it is here
)
_ANSWERS = 7  # where, since when, cause, known bug, mitigation, permanent fix, next; a chain and a driver where known
_READABLE = 4.5  # contrast of letters on their ground, as WCAG asks for (AA)
_LARGE = 3.0  # of letters of 24 px, or of 18.66 px and bold
# Letters whose contrast is less; what stands behind each is every ground up to the page's, one laid on the other.
_FAINT = """(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true}), known = new Map()
  const rgba = (text) => {
    if (!known.has(text)) {
      canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = '#000'; canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1)
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data
      known.set(text, [r, g, b, a / 255])
    }
    return known.get(text)
  }
  const over = (top, below) => [0, 1, 2].map((at) => top[at] * top[3] + below[at] * (1 - top[3]))
  const light = (rgb) => {
    const [r, g, b] = rgb.map((one) => one / 255).map((one) => one <= .04045 ? one / 12.92 : ((one + .055) / 1.055) ** 2.4)
    return .2126 * r + .7152 * g + .0722 * b
  }
  const grounds = new Map()
  const behind = (one) => {
    if (!one) return [[255, 255, 255], 1]
    if (!grounds.has(one)) {
      const [below, faded] = behind(one.parentElement), style = getComputedStyle(one)
      grounds.set(one, [over(rgba(style.backgroundColor), below), faded * style.opacity])
    }
    return grounds.get(one)
  }
  const found = new Set()
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  let seen = 0
  while (words.nextNode()) {
    const text = words.currentNode.data.trim(), one = words.currentNode.parentElement
    if (!text || one.closest('script, style, noscript, :disabled, title') || !one.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue
    const [ground, faded] = behind(one)
    const style = getComputedStyle(one), svg = one instanceof SVGElement
    const ink = [...rgba(svg ? style.fill : style.color)]
    ink[3] *= faded
    const [a, b] = [light(over(ink, ground)), light(ground)].sort((x, y) => y - x)
    const size = parseFloat(style.fontSize), big = size >= 24 || (size >= 18.66 && +style.fontWeight >= 650)
    seen += 1
    const contrast = (a + .05) / (b + .05)
    if (contrast < (big ? LARGE : READABLE))
      found.add(`${contrast.toFixed(2)} ${one.tagName}.${one.getAttribute('class') || ''}: ${text.slice(0, 40)}`)
  }
  return [seen, [...found].slice(0, 20)]
})()""".replace("READABLE", str(_READABLE)).replace("LARGE", str(_LARGE))
# What sticks out of the window; what scrolls by itself may be wider.
_OUTSIDE = """[...document.querySelectorAll('body *')]
  .filter((one) => !one.closest('.scroll, pre, svg, .flame, .skip, .contents'))
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 90))"""
_DEAD = """[...document.querySelectorAll('a[href^="#"]')].map((a) => a.getAttribute('href').slice(1))
  .filter((id) => !document.getElementById(decodeURIComponent(id)))"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[Path, str]]:
    """Return a function that writes the pages of an incident as the demo and its reader do, once: page -> language."""
    folder = tmp_path_factory.mktemp("demo")

    def pages(name: str) -> dict[Path, str]:
        (incident,) = [one for one in INCIDENTS if one.name == name]
        here = folder / name
        if not here.exists():
            lay_out(incident, folder)
            with contextlib.chdir(here):
                assert cli.run(list(incident.command("en"))) == 1
                for words in (
                    ("zh", "报告.html"),
                    ("en", "incident.html", "--incident"),
                    ("zh", "故障.html", "--incident"),
                ):
                    assert cli.run(["report", REPORT, "--lang", words[0], "-o", *words[1:]]) == 0
        names = {REPORT: "en", "报告.html": "zh", "incident.html": "en", "故障.html": "zh"}
        return {here / page: lang for page, lang in names.items()}

    return pages


@pytest.mark.parametrize("name", [one.name for one in INCIDENTS])
def test_an_incident_with_its_source(name: str, written: Callable[[str], dict[Path, str]], browser: Page) -> None:
    for file, lang in written(name).items():
        browser.open(file.as_uri(), width=_WIDE)
        browser.wait("document.documentElement.dataset.ready === 'yes'")
        assert browser.run("document.querySelector('.code .marked') !== null"), "source lines are marked"
        assert browser.run("document.documentElement.lang") == ("zh-Hans" if lang == "zh" else "en")
        if file.name in (REPORT, "报告.html"):
            told = json.loads(browser.run("document.getElementById('diagnosis').textContent"))
            driven = any(one["kind"] == "follows-work" for one in told["findings"][0]["evidence"])
            _first_screen(browser, len(told["findings"]), _ANSWERS + bool(told["chains"]) + driven)
        assert browser.run(_DEAD) == []
        _keys(browser)
        browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true })")
        for scheme in ("light", "dark"):
            browser.scheme(scheme)
            seen, faint = browser.run(_FAINT)
            assert seen > 300
            assert faint == [], f"{file.name} in the {scheme}"
        for width in (_WIDE, _NARROW):
            browser.resize(width)
            assert browser.run("document.documentElement.scrollWidth") <= width
            assert browser.run(_OUTSIDE) == [], f"{file.name} at {width} px"
        _deep_link(browser, file)
        assert browser.errors == []
        assert {url.partition("#")[0] for url in browser.requests} <= {"about:blank", "data:,", file.as_uri()}


def _first_screen(browser: Page, findings: int, answers: int) -> None:
    """Check that the answer stands on the first screen: the growth chart, where, since when, cause, known bug, what to
    do, what to run next; and that the page is short, the rest folded."""
    browser.resize(_WIDE, _HIGH)
    bottoms = "(name) => document.querySelector(name).getBoundingClientRect().bottom"
    assert browser.run(f"({bottoms})('.verdict .chart .plot')") < _HIGH / 2
    assert browser.run(f"({bottoms})('.verdict .facts > :last-child .command')") <= _HIGH
    assert browser.run("document.querySelectorAll('.verdict .facts dt').length") == answers
    browser.resize(_NARROW, _PHONE)  # verdict, growth, where, since, root cause
    assert browser.run(f"({bottoms})('.verdict .facts > :nth-child(3)')") <= _PHONE
    browser.resize(_WIDE, _HIGH)
    tallest = _TALLEST + _MORE_FOR_EACH * (findings - 1) + _MORE_FOR_A_CHAIN * (answers > _ANSWERS)
    assert browser.run("document.documentElement.scrollHeight") <= tallest
    assert browser.run("[...document.querySelectorAll('details.folded')].every((one) => !one.open)")
    assert browser.run("document.querySelectorAll('.verdict ~ .level2 > .folded').length") >= 4
    assert browser.run(
        "[...document.querySelectorAll('.verdict dt a')].every((a) => a.getAttribute('href').length > 1)"
    )


def _keys(browser: Page) -> None:
    browser.press("j", "j")
    assert browser.run("document.querySelectorAll('.part.current').length") == 1
    browser.press("?")
    assert browser.run("document.getElementById('o-keys').open")
    browser.press("Escape", "/", *"goroutine", "Enter")
    browser.wait("document.querySelectorAll('.hit').length > 0")
    browser.press("Escape")
    browser.wait("document.querySelectorAll('.hit').length === 0")
    browser.run("document.activeElement.blur()")
    browser.press("g")


def _deep_link(browser: Page, file: Path) -> None:
    """Check that a link to the cause opens the page there."""
    anchor = browser.run("document.querySelector('.code').closest('section').id")
    browser.resize(_WIDE)
    browser.run(f"location.hash = {json.dumps('#' + anchor)}")
    browser.settle()
    top = browser.run(f"document.getElementById({json.dumps(anchor)}).getBoundingClientRect().top")
    assert 0 <= top < 400, f"{file.name}#{anchor}"


def test_the_drafted_change_is_there(written: Callable[[str], dict[Path, str]], browser: Page) -> None:
    browser.open(next(iter(written("kubernetes-98653"))).as_uri())
    assert browser.run("document.querySelectorAll('.diff .add').length") >= 3
    assert browser.run("document.querySelector('.diff pre').textContent").startswith("--- a/pipeline/runner.go")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_docs_show_a_real_report(
    theme: str,
    written: Callable[[str], dict[Path, str]],
    browser: Page,
    request: pytest.FixtureRequest,
    tmp_path: Path,
) -> None:
    """`pytest --update` takes the pictures again; without it, what is kept must be such a picture."""
    kept = ROOT / "docs" / f"report-{theme}.png"
    browser.open(next(iter(written("kubernetes-98653"))).as_uri(), width=_WIDE, height=1000, dark=theme == "dark")
    _check_picture(kept, browser, tmp_path, request, high=1000)


def test_docs_show_a_real_flame_graph(browser: Page, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    page = tmp_path / "flame.html"
    with contextlib.chdir(DEMO):  # its title names the files as they are given
        assert cli.run(["flame", "-diff_base", "before.heap.pb.gz", "after.heap.pb.gz", "-o", str(page)]) == 0
    browser.open(page.as_uri(), width=_WIDE, height=600)
    _check_picture(ROOT / "docs" / "flame-diff.png", browser, tmp_path, request, high=600)


def _check_picture(kept: Path, browser: Page, folder: Path, request: pytest.FixtureRequest, high: int) -> None:
    """Check that the kept picture is one of this size; with --update, take it of the page that is open."""
    browser.picture(folder / "now.png")
    if request.config.getoption("--update"):
        kept.write_bytes((folder / "now.png").read_bytes())
    head = kept.read_bytes()
    assert head.startswith(b"\x89PNG")
    assert struct.unpack(">II", head[16:24]) == (_WIDE, high)
    assert 30_000 < len(head) < 300_000
