"""Incidents, comparisons, known bugs and uploads in a real browser: as a person goes through them, on a phone too."""

import base64
import json
from collections.abc import Iterator

import pytest

from browser import Page
from oakum.pipeline.evidence import read_evidence
from oakum.store import open_writer
from oakum.store.adding import add_inputs
from support import ROOT
from web.serving import Served, serving

pytestmark = pytest.mark.browser

TAKES = ROOT / "casebook" / "kubernetes-98653" / "captures"
NOW = 1_790_000_000_000_000


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server over an incident, and a run of the fixed build."""
    folder = tmp_path_factory.mktemp("browsed")
    with open_writer(folder / "store") as writer:
        for take in ("leaking", "fixed"):
            add_inputs(writer, read_evidence((str(TAKES / f"{take}-go1.26-modcache"),)), NOW, incident="i-1")
    with serving(folder / "store", folder / "log") as found:
        yield found


def clean(page: Page, served: Served) -> None:
    """No error was logged, and nothing was asked of anybody else."""
    assert page.errors == []
    assert all(one.startswith((f"http://{served.host}/", "data:")) for one in page.requests), page.requests


def follow(page: Page, selector: str) -> None:
    """Click a link or a button that leads to another page, and wait for that."""
    page.run("window.before = true; 1")
    page.run(f"document.querySelector({json.dumps(selector)}).click(); 1")
    page.wait("!window.before && document.readyState === 'complete'")
    page.settle()


def test_from_the_service_to_the_line_that_is_cited(browser: Page, served: Served) -> None:
    browser.open(f"http://{served.host}/services/cpc", width=1440)
    follow(browser, 'a[href="/incidents/i-1"]')
    assert "StreamWatcher" in browser.run("document.querySelector('h1').textContent")
    claim = browser.run("document.querySelector('.claims li').id")
    browser.run(f"location.hash = {json.dumps(claim)}; 1")
    assert browser.run("document.querySelector('.claims li:target').id") == claim
    follow(browser, '.claims a[href^="/evidence/"]')
    assert browser.run("location.hash") == "#cited"
    box = browser.run(
        "(() => { const b = document.getElementById('cited').getBoundingClientRect(); return [b.top, b.bottom]; })()"
    )
    assert 0 <= box[0] < box[1] <= 800
    assert browser.run("document.getElementById('cited').textContent").strip().startswith("goroutine ")
    clean(browser, served)


def test_keys_and_search_of_a_report(browser: Page, served: Served) -> None:
    browser.open(f"http://{served.host}/incidents/i-1", width=1440)
    browser.press("/")
    assert browser.run("document.activeElement.id") == "o-search"
    browser.press(*"Decode", "Enter")
    browser.wait("document.querySelectorAll('.hit').length > 0")
    browser.press("Escape", "?")
    browser.wait("document.getElementById('o-keys').open")
    browser.press("Escape")
    clean(browser, served)


def test_before_and_after_the_fix(browser: Page, served: Served) -> None:
    browser.open(f"http://{served.host}/compare?before=cpc", width=1440)
    for name, replica in (("before", "leaking"), ("after", "fixed")):
        browser.run(
            f"""(() => {{ const list = document.getElementById('compare-{name}');
            list.value = [...list.options].find((one) => one.text.includes('{replica}')).value; return 1; }})()"""
        )
    follow(browser, "#compare-form button")
    assert browser.run("document.querySelector('.verdict h2').textContent") == "1 leak gone, no new one."
    assert browser.run("document.querySelectorAll('#flame-heap-graph [role=treeitem]').length") > 10
    first = browser.run("document.querySelector('#changes-1 tbody tr').textContent")
    assert "-160" in first
    browser.run("document.querySelector('#changes-1 .sort').click(); 1")
    assert browser.run("document.querySelector('#changes-1 tbody tr').textContent") != first
    clean(browser, served)


def test_a_dump_is_uploaded_and_kept(browser: Page, served: Served) -> None:
    dump = (TAKES / "leaking-go1.26-modcache" / "5-later" / "goroutine.debug2.txt.gz").read_bytes()
    browser.open(f"http://{served.host}/upload", width=1440)
    browser.run(
        f"""(() => {{ const bytes = Uint8Array.from(atob({json.dumps(base64.b64encode(dump).decode())}), (c) => c.charCodeAt(0));
        const sent = new DataTransfer(); sent.items.add(new File([bytes], 'dump.txt.gz'));
        document.getElementById('upload-files').files = sent.files; return 1; }})()"""
    )
    follow(browser, "#upload-form button")
    assert browser.run("location.pathname").startswith("/held/")
    assert "StreamWatcher" in browser.run("document.querySelector('h1').textContent")
    browser.run("document.getElementById('keep-service').value = 'uploaded'; 1")
    follow(browser, "#keep-form button")
    assert browser.run("!!document.querySelector('a[href=\"/services/uploaded\"]')")
    clean(browser, served)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [400, 1440])
def test_pages_fit_every_screen(browser: Page, served: Served, width: int, dark: bool, lang: str) -> None:
    for address in ("/incidents/i-1", "/known", "/known/kubernetes-98653", "/compare?before=cpc", "/upload"):
        browser.open(f"http://{served.host}{address}{'&' if '?' in address else '?'}lang={lang}", width, dark=dark)
        assert browser.run("document.documentElement.scrollWidth") <= width, address
        assert browser.run("document.querySelectorAll('h1').length") == 1
        unnamed = browser.run(
            "[...document.querySelectorAll('a, button, input:not([type=hidden]), select')].filter((one) => "
            "!(one.textContent.trim() || one.getAttribute('aria-label') || one.labels?.length)).map((one) => one.outerHTML)"
        )
        assert unnamed == [], address
        clean(browser, served)


def test_an_incident_on_paper(browser: Page, served: Served) -> None:
    browser.open(f"http://{served.host}/incidents/i-1", width=1280)
    assert 1 < browser.pages() < 30
    browser.media("print")
    assert not browser.run("document.querySelector('.page-tools').checkVisibility()")
    browser.media("screen")
