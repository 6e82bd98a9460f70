"""What the pages show of a store, and what they say where there is none."""

import re
import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from oakum.store import open_writer
from oakum.web import overview, records
from support import oakum
from web_clients import client_of
from web_store import filled


def test_services_are_listed(client: TestClient) -> None:
    answer = client.get("/")
    assert answer.status_code == 200
    assert 'href="/services/orders"' in answer.text


def test_an_empty_store_has_the_next_command(empty: TestClient) -> None:
    answer = empty.get("/")
    assert answer.status_code == 200
    assert "oakum store add" in answer.text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_languages(client: TestClient, lang: str) -> None:
    answer = client.get(f"/?lang={lang}")
    assert ("服务" in answer.text) == (lang == "zh")
    assert f'<html lang="{"zh-CN" if lang == "zh" else "en"}"' in answer.text
    assert client.get("/").text == client.get("/").text  # it is remembered
    assert ("服务" in client.get("/").text) == (lang == "zh")


def test_unknown_pages_are_pages_too(client: TestClient) -> None:
    answer = client.get("/nothing")
    assert answer.status_code == 404
    assert "There is no such page." in answer.text


@pytest.mark.parametrize("held", [(), ("notes.txt",)])
def test_a_directory_that_is_no_store_yet_is_an_empty_page(tmp_path: Path, held: tuple[str, ...]) -> None:
    for name in held:
        (tmp_path / name).write_text("not of a store")
    with client_of(tmp_path) as client:
        for path in ("/", "/compare", "/known", "/upload"):
            assert client.get(path).status_code == 200, path
        assert "oakum store add" in client.get("/").text


def test_a_store_that_becomes_newer_is_told_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_FRESH", 0.0)
    monkeypatch.setattr(overview, "_SOONEST", 0.0)
    monkeypatch.setattr(overview, "_SHARE", 0)
    with open_writer(tmp_path / "store") as writer:
        filled(writer)
    manifest = tmp_path / "store" / "manifest.json"
    with client_of(tmp_path / "store") as client:
        assert "orders" in client.get("/").text
        manifest.write_text(manifest.read_text().replace('"version": 1', '"version": 99'))
        answers: list[str] = []
        until = time.monotonic() + 60
        while time.monotonic() < until and "version 99" not in (answers or [""])[-1]:
            answers.append(client.get("/").text)  # made anew in the background
        assert "version 99" in answers[-1]
        assert "orders" in answers[-1]  # what was known is there still
        told = client.get("/known")
        assert "Traceback" not in told.text
    with client_of(tmp_path / "store") as client:
        answer = client.get("/")
        assert answer.status_code == 503
        assert "version 99" in answer.text


@pytest.mark.slow
def test_what_cannot_be_a_store_is_refused_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    answer = oakum("serve", "--store", tmp_path / "file", "--listen", "127.0.0.1:0")
    assert answer.code == 4
    assert "is a file" in answer.err
    with open_writer(tmp_path / "store") as writer:
        filled(writer)
    manifest = tmp_path / "store" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"version": 1', '"version": 99'))
    answer = oakum("serve", "--store", tmp_path / "store", "--listen", "127.0.0.1:0")
    assert answer.code == 4
    assert "version 99" in answer.err
    assert "Traceback" not in answer.err


def test_a_store_without_its_manifest_is_read_and_said_to_be(tmp_path: Path) -> None:
    with open_writer(tmp_path / "store") as writer:
        filled(writer)
    (tmp_path / "store" / "manifest.json").unlink()
    with client_of(tmp_path / "store") as client:
        page = client.get("/").text
        assert "orders" in page
        assert "manifest.json is missing" in page


def test_events_lead_to_what_tells_more(client: TestClient) -> None:
    page = client.get("/services/orders?lang=en").text
    assert 'class="event-incident-opened" href="/incidents/i-1"' in page
    assert "Diagnosed: healthy." in client.get("/services/pay?past=all").text
    assert "已诊断：正常。" in client.get("/services/pay?past=all&lang=zh").text


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", ["orders", "idle", "pay"]),  # what leaks first; then by growth of the heap
        ("?sort=service", ["idle", "orders", "pay"]),
        ("?sort=service&order=reverse", ["pay", "orders", "idle"]),
        ("?sort=goroutines", ["orders", "pay", "idle"]),  # what is not known comes last
        ("?sort=since&order=reverse", ["orders", "idle", "pay"]),
        ("?q=RD", ["orders"]),
        ("?q=v1.4", ["idle", "orders", "pay"]),  # builds are searched too
        ("?verdict=leaking", ["orders"]),
        ("?verdict=healthy", ["pay"]),
        ("?q=none", []),
        ("?sort=wrong&verdict=wrong&page=99", ["orders", "idle", "pay"]),
    ],
)
def test_services_are_sorted_and_filtered(client: TestClient, query: str, names: list[str]) -> None:
    found = re.findall(r'<a class="service" href="/services/([^"]+)"', client.get(f"/{query}").text)
    assert (sorted(found) if "q=v" in query else found) == names
