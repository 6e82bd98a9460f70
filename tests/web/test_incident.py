"""The pages of an incident and of a stored diagnosis: blocks, evidence at the cited lines, what has changed, downloads."""

import gzip
import io
import json
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from starlette.testclient import TestClient

from diagnoses import rich
from oakum.report.html import render as html
from oakum.report.json import diagnosis, document
from oakum.report.page.compose import compose
from oakum.store import Batch, FindingRow, IncidentRow, open_reader, open_writer
from oakum.store.adding import add_evidence
from oakum.web.excerpts import excerpt
from support import ROOT
from web_clients import client_of

CASE = ROOT / "casebook" / "kubernetes-98653" / "captures" / "leaking-go1.26-modcache"
NOW = 1_790_000_000_000_000


@pytest.fixture(scope="module")
def leader(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return a store with a recorded leak, and the digest of its diagnosis without prefix."""
    store = tmp_path_factory.mktemp("leader") / "store"
    with open_writer(store) as writer:
        add_evidence(writer, [str(CASE)], NOW)
    with open_reader(store) as reader:
        return store, reader.findings()[0].document.removeprefix("sha256:")


@pytest.fixture
def there(leader: tuple[Path, str]) -> Iterator[TestClient]:
    with client_of(leader[0]) as client:
        yield client


def test_an_incident_shows_its_diagnosis(client: TestClient) -> None:
    page = client.get("/incidents/i-1").text
    for wanted in (
        'id="incident"',
        "orders-1, orders-2",
        'href="/services/orders"',
        "desk.go",
        'class="chain"',
        "<h1>",
    ):
        assert wanted in page, wanted
    assert page.count("<h1") == 1
    assert re.search(r'href="/diagnoses/[0-9a-f]{64}/report\.md"', page)


def test_an_incident_without_a_diagnosis_has_the_next_command(client: TestClient) -> None:
    page = client.get("/incidents/i-0").text
    assert "oakum diagnose --store" in page
    assert "shop/pay.poll" in page
    assert client.get("/incidents/none").status_code == 404
    assert client.get("/incidents/i-1?at=" + "0" * 64).status_code == 200  # not that one: what is known of it


def test_each_claim_can_be_linked_to_and_leads_to_its_evidence(there: TestClient, leader: tuple[Path, str]) -> None:
    page = there.get(f"/diagnoses/{leader[1]}").text
    claims = re.findall(r'<li id="(finding-[^"]+\.\d+)"', page)
    assert len(claims) >= 5
    assert len(set(claims)) == len(claims)
    assert all(f'href="#{one}"' in page for one in claims)
    evidence = re.findall(r'href="(/evidence/[0-9a-f]{64}\?goroutine=(\d+))#cited"', page)
    assert evidence
    for address, goroutine in set(evidence):
        shown = there.get(address).text
        first = re.search(r'id="cited">.*?class="text">([^<]*)<', shown)
        assert first is not None
        assert first[1].startswith(f"goroutine {goroutine} [")


def test_chinese_pages_lead_to_the_same_evidence(there: TestClient, leader: tuple[Path, str]) -> None:
    def addresses(lang: str) -> list[str]:
        return re.findall(r'href="(/evidence/[^"]+)"', there.get(f"/diagnoses/{leader[1]}?lang={lang}").text)

    assert addresses("zh") == addresses("en") != []


def test_captures_are_shown_or_sent_as_they_came(there: TestClient, leader: tuple[Path, str]) -> None:
    page = there.get(f"/diagnoses/{leader[1]}").text
    digests = set(re.findall(r'href="/evidence/([0-9a-f]{64})', page))
    kinds = set()
    for digest in digests:
        shown = there.get(f"/evidence/{digest}")
        assert shown.status_code == 200
        kinds.add("oakum inspect" in shown.text)
        raw = there.get(f"/evidence/{digest}?raw=1")
        assert raw.headers["content-disposition"].startswith("attachment")
    assert kinds == {True, False}  # binary profiles and text
    assert there.get("/evidence/" + "0" * 64).status_code == 404
    assert there.get("/evidence/..%2f..%2fmanifest.json").status_code == 404


def test_downloads(there: TestClient, leader: tuple[Path, str]) -> None:
    base = f"/diagnoses/{leader[1]}"
    told = there.get(f"{base}/report.json")
    assert diagnosis(json.loads(told.text)).verdict == "leaking"
    assert there.get(f"{base}/report.html").text.startswith("<!doctype html>")
    assert there.get(f"{base}/report.md").text.startswith("#")
    assert "## " in there.get(f"{base}/incident.md").text
    assert there.get(f"{base}/report.exe").status_code == 404
    assert there.get(f"/diagnoses/{'0' * 64}/report.md").status_code == 404


@pytest.mark.parametrize("name", ["bundle.tar.gz", "redacted.tar.gz"])
def test_bundles_hold_the_captures_of_a_diagnosis(there: TestClient, leader: tuple[Path, str], name: str) -> None:
    answer = there.get(f"/diagnoses/{leader[1]}/{name}")
    assert answer.status_code == 200
    with tarfile.open(fileobj=io.BytesIO(answer.content)) as archive:
        names = archive.getnames()
        files = {one: archive.extractfile(one).read() for one in names}  # type: ignore[union-attr]  # all are files
    assert sum(one.endswith("goroutine.debug2.txt.gz") for one in names) == 5
    text = b"".join(gzip.decompress(data) for one, data in files.items() if one.endswith("debug2.txt.gz"))
    assert (b"example.com/foundry" in text) == (name == "bundle.tar.gz")
    manifest = json.loads(next(data for one, data in files.items() if one.endswith("manifest.json")))
    assert manifest["redacted"] == (name == "redacted.tar.gz")


def test_the_page_that_was_written_when_it_was_found(tmp_path: Path) -> None:
    found = rich()
    with open_writer(tmp_path / "store") as writer:
        page = writer.keep(html(compose(found, "en"), document(found)).encode(), "page.html")
        kept = writer.keep(json.dumps(document(found)).encode(), "diagnosis.json")
        incident = IncidentRow(
            incident="i", service="s", state="open", opened_at=1, updated_at=1, page=page, revision=1
        )
        finding = FindingRow(service="s", at=1, incident="i", finding="f", document=kept)
        writer.append(Batch(incidents=(incident,), findings=(finding,)))
    with client_of(tmp_path / "store") as client:
        assert 'href="/incidents/i/page"' in client.get("/incidents/i").text
        answer = client.get("/incidents/i/page")
        assert answer.text.startswith("<!doctype html>")
        policy = answer.headers["content-security-policy"]
        assert "'sha256-" in policy
        assert "sandbox allow-scripts" in policy  # apart from our own pages
        assert "unsafe-inline" not in policy


def test_what_has_changed_since_the_diagnosis_before(tmp_path: Path) -> None:
    now = rich()
    counts = tuple(replace(one, counts=(1, 7)) for one in now.findings[0].suspect.growth)
    first = replace(now.findings[0], suspect=replace(now.findings[0].suspect, growth=counts))
    before = replace(now, findings=(first, *(replace(one, id="only-then") for one in now.findings[1:2])))
    store = tmp_path / "store"
    with open_writer(store) as writer:
        kept = [writer.keep(json.dumps(document(one)).encode(), "diagnosis.json") for one in (before, now)]
        rows = tuple(
            FindingRow(
                service="orders", at=10 * number, incident="i", finding="f", confidence="likely", document=digest
            )
            for number, digest in enumerate(kept, 1)
        )
        incident = IncidentRow(incident="i", service="orders", state="open", opened_at=10, updated_at=20, revision=1)
        writer.append(Batch(findings=rows, incidents=(incident,)))
    with client_of(store) as client:
        page = client.get("/incidents/i").text
        assert 'id="since"' in page
        changes = page.partition('id="since"')[2].partition("</section>")[0]
        assert re.search(r'<td class="number">7</td>', changes)
        assert 'id="others"' in page
        earlier = client.get(f"/incidents/i?at={kept[0].removeprefix('sha256:')}").text
        assert kept[0].removeprefix("sha256:") in earlier
        zh = client.get("/incidents/i?lang=zh").text
        assert "与先前诊断相比" in zh


def test_the_lines_that_are_cited() -> None:
    dump = b"".join(b"goroutine %d [select]:\nmain.f()\n\t/x.go:%d +0x1\n\n" % (one, one) for one in range(1, 500))
    found = excerpt(dump, goroutine=300)
    assert found is not None
    cited = [line for line in found.lines if line.cited]
    assert cited[0].text == "goroutine 300 [select]:"
    assert cited[0].number == 299 * 4 + 1
    assert len(cited) == 3
    assert found.total == 499 * 4
    assert found.earlier > 0 < found.later
    again = excerpt(gzip.compress(dump), line=5)
    assert again is not None
    assert [line.number for line in again.lines if line.cited] == [5]
    assert excerpt(b"\x0a\x00binary") is None
    assert excerpt(b"\x1f\x8bno gzip") is None
    empty = excerpt(b"")
    assert empty is not None
    assert empty.lines == ()
    beyond = excerpt(dump, start=10**9)
    assert beyond is not None
    assert beyond.later == 0
