"""A person in a real browser: finds the leak, its begin, its incident and evidence, the fix; with keys alone, without
script, on paper; and nobody is kept out (axe-core)."""

import json
from collections.abc import Iterator

import pytest

from browser import Page
from oakum.pipeline.evidence import read_evidence
from oakum.store import open_writer, run_id
from oakum.store.adding import add_inputs
from support import ROOT
from toolchain import need_axe
from web.serving import Served, serving
from web_store import AT, END, HOUR, filled

pytestmark = pytest.mark.browser

TAKES = ROOT / "casebook" / "kubernetes-98653" / "captures"
NOW = 1_790_000_000_000_000
FIRST, LAST = (f"{run_id('orders', 'orders-1', AT)}@{at}" for at in (AT, END - HOUR))
PAGES = (
    "/", "/services/cpc", "/services/orders", "/services/orders/live", f"/services/orders/diff?before={FIRST}&after={LAST}", "/incidents/i-1",
    "/incidents/i-98653", "/compare?before=cpc", "/known", "/known/kubernetes-98653", "/upload", "/nothing",
)  # fmt: skip
BUSY = "document.querySelector('.charts[aria-busy]')"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server over thirty hours of three services, and over the leaking and the fixed build of a fourth."""
    folder = tmp_path_factory.mktemp("person")
    with open_writer(folder / "store") as writer:
        filled(writer)
        for take in ("leaking", "fixed"):
            add_inputs(writer, read_evidence((str(TAKES / f"{take}-go1.26-modcache"),)), NOW, incident="i-98653")
    with serving(folder / "store", folder / "log") as found:
        yield found


@pytest.fixture(autouse=True)
def _forgetful(browser: Page) -> Iterator[None]:
    """Leave no language behind for who uses the browser next."""
    yield
    browser.forget()


def clean(page: Page, served: Served, expected: tuple[str, ...] = ()) -> None:
    """No error was logged (the policy's are among them), and nothing was asked of anybody else."""
    assert [one for one in page.errors if not any(text in one for text in expected)] == []
    assert all(one.startswith((f"http://{served.host}/", "data:", "about:")) for one in page.requests), page.requests


def middle(page: Page, selector: str) -> tuple[float, float, float, float]:
    """Scroll to an element; return where it is: left, right, top, bottom."""
    found = page.run(
        f"""(() => {{ const one = document.querySelector({json.dumps(selector)}); one.scrollIntoView({{block: "center"}});
        const at = one.getBoundingClientRect(); return [at.left, at.right, at.top, at.bottom]; }})()"""
    )
    page.settle()
    return tuple(found)


def click(page: Page, selector: str) -> None:
    """Click with the mouse what leads to another page, and wait for that."""
    page.run("window.before = true; 1")
    left, right, top, bottom = middle(page, selector)
    page.mouse((left + right) / 2, (top + bottom) / 2, click=True)
    page.wait("!window.before && document.readyState === 'complete'")
    page.settle()


@pytest.mark.parametrize(
    ("lang", "dark", "width"), [("en", False, 1440), ("zh", True, 400)], ids=["desk", "phone at night"]
)
def test_from_the_list_to_the_fix(browser: Page, served: Served, lang: str, dark: bool, width: int) -> None:
    browser.open(f"http://{served.host}/?lang={lang}", width, dark=dark)
    assert browser.run("document.querySelector('tbody a').textContent") == "cpc"  # what leaks stands first
    click(browser, "tbody a")
    browser.wait(f"!{BUSY} && document.querySelectorAll('.uplot').length >= 3")
    # Zoom: drag from before the growth to its begin. All charts follow, and the address.
    whole = browser.run("Number(document.getElementById('charts').dataset.to) - Number(document.getElementById('charts').dataset.from)")  # fmt: skip
    left, right, top, bottom = middle(browser, "#chart-goroutines .u-over")
    browser.drag((left + 4, (top + bottom) / 2), (left + (right - left) * 0.4, (top + bottom) / 2))
    browser.wait(f"new URLSearchParams(location.search).has('from') && !{BUSY}")
    begin, end = browser.run("['from', 'to'].map((one) => Number(new URLSearchParams(location.search).get(one)))")
    assert 0.3 * whole < end - begin < 0.5 * whole
    asked = [one for one in browser.requests if f"from={begin}" in one]
    assert {one.partition("?")[0].rpartition("/")[2] for one in asked} == {"series", "places", "events"}
    # The incident, and from a claim to the line that it cites.
    click(browser, 'a[href="/incidents/i-98653"]')
    assert "StreamWatcher" in browser.run("document.querySelector('h1').textContent")
    click(browser, '.claims a[href^="/evidence/"]')
    assert browser.run("document.getElementById('cited').textContent").strip().startswith("goroutine ")
    # The fixed build beside it.
    click(browser, 'header a[href="/compare"]')
    browser.open(f"http://{served.host}/compare?before=cpc&lang={lang}", width, dark=dark)
    for name, replica in (("before", "leaking"), ("after", "fixed")):
        browser.run(
            f"""(() => {{ const list = document.getElementById('compare-{name}');
            list.value = [...list.options].find((one) => one.text.includes('{replica}')).value; return 1; }})()"""
        )
    click(browser, "#compare-form button")
    assert "1" in browser.run("document.querySelector('.verdict h2').textContent")
    assert browser.run("document.documentElement.scrollWidth") <= width
    # Export: every form of it is a file.
    browser.open(f"http://{served.host}/incidents/i-98653", width, dark=dark)
    forms = browser.run(
        """Promise.all([...document.querySelectorAll('a[href^="/diagnoses/"]')].map(async (one) => {
        const answer = await fetch(one.href); const data = await answer.arrayBuffer();
        return [one.href.replace(/.*[/]/, ""), answer.status, answer.headers.get("content-disposition") || "", data.byteLength]; }))"""
    )
    files = {name: size for name, status, kind, size in forms if status == 200 and kind.startswith("attachment")}
    assert {
        "report.html",
        "report.md",
        "report.json",
        "incident.md",
        "bundle.tar.gz",
        "redacted.tar.gz",
    } <= files.keys()
    assert min(files.values()) > 500
    clean(browser, served)


def tab_to(page: Page, condition: str, most: int = 80) -> None:
    """Press Tab until what has the focus is this; it must be seen to have it."""
    for _ in range(most):
        page.press("Tab")
        if page.run(f"(() => {{ const one = document.activeElement; return {condition}; }})()"):
            seen = "getComputedStyle(document.activeElement)"
            assert page.run(f"{seen}.outlineStyle !== 'none' || {seen}.boxShadow !== 'none'"), condition
            return
    raise AssertionError(f"Tab leads to no {condition}")


def test_with_keys_alone(browser: Page, served: Served) -> None:
    browser.open(f"http://{served.host}/?lang=en", 1440)
    browser.press("Tab", "Enter")  # over what every page begins with
    for condition in (
        "one.pathname === '/services/cpc'",
        "one.id === 'zoom-in'",
        "one.pathname === '/incidents/i-98653'",
    ):
        if "zoom" in condition:
            browser.wait(f"!{BUSY} && document.querySelectorAll('.uplot').length >= 3")
            tab_to(browser, condition)
            browser.press("Enter")
            browser.wait("new URLSearchParams(location.search).has('from')")
            browser.open(f"http://{served.host}/services/cpc", 1440)
            continue
        tab_to(browser, condition)
        browser.run("window.before = true; 1")
        browser.press("Enter")
        browser.wait("!window.before && document.readyState === 'complete'")
    tab_to(browser, "(one.getAttribute('href') || '').startsWith('/evidence/')")
    clean(browser, served)


def test_without_script(browser: Page, served: Served) -> None:
    with browser.without_script():
        for address in PAGES:
            browser.open(f"http://{served.host}{address}", 1440)
            assert browser.run("document.querySelectorAll('h1').length") == 1, address
            shown = "[...document.querySelectorAll('.needs-script')].filter((one) => one.checkVisibility()).length"
            assert browser.run(shown) == 0, address
        browser.open(f"http://{served.host}/?q=ord", 1440)
        assert browser.run("[...document.querySelectorAll('tbody a')].map((one) => one.textContent)") == ["orders"]
        click(browser, "tbody a")
        click(browser, "#show-diff")
        assert browser.run("location.pathname") == "/services/orders/diff"
        assert browser.run("document.querySelectorAll('main table tbody tr').length") > 0


def test_on_paper(browser: Page, served: Served) -> None:
    for address in PAGES[:8]:
        browser.open(f"http://{served.host}{address}", 1280)
        browser.wait(f"!{BUSY}")
        assert 1 <= browser.pages() < 30, address
        browser.media("print")
        assert not browser.run("document.querySelector('header nav').checkVisibility()"), address
        browser.media("screen")


def violations(page: Page, script: str) -> list[tuple[str, list[str]]]:
    """Return what axe-core finds that is serious: rule, the first elements."""
    page.run(f"{script}; 1")
    found = page.run(
        """axe.run(document, {resultTypes: ["violations"]}).then((told) => told.violations.map((one) =>
        [one.impact, one.id, one.nodes.slice(0, 3).map((node) => `${node.target} ${node.failureSummary}`)]))"""
    )
    return [(rule, nodes) for impact, rule, nodes in found if impact in ("serious", "critical")]


def addresses(page: Page, served: Served) -> tuple[str, ...]:
    """Return the pages, with those that only what is recorded leads to: a fix compared, evidence at the cited line."""
    page.open(f"http://{served.host}/incidents/i-98653", 1440)
    cited = page.run("document.querySelector('.claims a[href^=\"/evidence/\"]').getAttribute('href')")
    page.open(f"http://{served.host}/compare?before=cpc", 1440)
    before, after = (
        page.run(
            f"[...document.getElementById('compare-before').options].find((one) => one.text.includes('{replica}')).value"
        )
        for replica in ("leaking", "fixed")
    )
    return (*PAGES, f"/compare?before={before}&after={after}", cited.partition("#")[0])


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_nobody_is_kept_out(browser: Page, served: Served, dark: bool, lang: str) -> None:
    """axe-core finds nothing serious, and no page is wider than a phone."""
    script = need_axe()
    found: list[tuple[object, ...]] = []
    for address in addresses(browser, served):
        browser.open(f"http://{served.host}{address}{'&' if '?' in address else '?'}lang={lang}", 1440, dark=dark)
        browser.wait(f"!{BUSY}")
        clean(browser, served, ("404",))
        found += [(address, *one) for one in violations(browser, script)]
        browser.resize(400)
        assert browser.run("document.documentElement.scrollWidth") <= 400, address
        if lang == "zh":  # on a phone other things scroll, and stand elsewhere
            found += [(address, "400 px", *one) for one in violations(browser, script)]
    assert found == []
