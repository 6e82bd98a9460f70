"""Known bugs: the catalogue, its search, and which services carry which by the builds that the store has of them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from oakum.knowledge.leaks import leaks
from oakum.store import Batch, RunRow, SnapshotRow, open_reader, open_writer
from oakum.web.carriers import carriers
from web_clients import client_of

OLD = ("example.com/shop@v1.0.0", "k8s.io/apimachinery@v0.18.8")


def run(service: str, number: int, **facts: object) -> RunRow:
    return RunRow(run=f"{service}-{number}", service=service, replica="0", first_seen=number, **facts)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("known") / "store"
    runs = (
        run("watcher", 1, program="example.com/shop/cmd/watcher", version="v1.0.0", go="go1.26.0", modules=OLD),
        run("upgraded", 1, program="example.com/shop/cmd/up", go="go1.26.0", modules=OLD),
        run("upgraded", 2, program="example.com/shop/cmd/up", go="go1.26.0", modules=("k8s.io/apimachinery@v0.21.0",)),
        run("apiserver", 1, program="k8s.io/kubernetes/cmd/kube-apiserver", version="v1.15.3"),
        run("mystery", 1),
    )
    with open_writer(store) as writer:
        rows = tuple(SnapshotRow(run=one.run, service=one.service, at=one.first_seen) for one in runs)
        writer.append(Batch(runs=runs, snapshots=rows))
    return store


@pytest.fixture
def known(builds: Path) -> Iterator[TestClient]:
    with client_of(builds) as client:
        yield client


def test_the_newest_build_of_each_service_is_what_counts(builds: Path) -> None:
    with open_reader(builds) as reader:
        found = carriers(reader.runs())
    of_watch = {one.service for one in found.carriers if one.bug.id == "kubernetes-98653"}
    assert "watcher" in of_watch
    assert "upgraded" not in of_watch
    assert {one.service for one in found.carriers if one.bug.id == "kubernetes-83333" and one.bug.certain} == {
        "apiserver"
    }
    assert found.unknown == ("mystery",)
    assert found.services == 4


def test_the_catalogue_is_listed_and_searched(known: TestClient) -> None:
    page = known.get("/known").text
    assert f"{len(leaks().ids)} known bugs" in page
    assert len(re.findall(r'<a href="/known/[^"]+">', page.partition('id="catalogue"')[2])) == len(leaks().ids)
    carried = page.partition('id="carried"')[2].partition("</section>")[0]
    assert re.search(r'/known/kubernetes-98653".*?/services/watcher"', carried, re.DOTALL)
    assert "mystery" in carried
    found = known.get("/known", params={"q": "StreamWatcher receive"}).text
    assert 'href="/known/kubernetes-98653"' in found
    assert 'href="/known/kubernetes-83333"' not in found
    none = known.get("/known", params={"q": "apimachinry <b>"}).text
    assert "No known bug matches" in none
    assert "<b>" not in none.partition("<main")[2]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_entry_has_its_page(known: TestClient, lang: str) -> None:
    for id_ in leaks().ids[:: 1 if lang == "en" else 12]:
        answer = known.get(f"/known/{id_}?lang={lang}")
        assert answer.status_code == 200, id_
        assert answer.text.count("<h1") == 1
    page = known.get(f"/known/kubernetes-98653?lang={lang}").text
    assert 'href="/services/watcher"' in page
    assert "https://github.com/kubernetes/kubernetes/pull/98653" in page
    assert "v0.21.0" in page
    assert known.get("/known/nothing").status_code == 404


def test_the_catalogue_needs_no_store(empty: TestClient) -> None:
    assert "oakum scan" in empty.get("/known").text
    assert empty.get("/known/ttrpc-94").status_code == 200
