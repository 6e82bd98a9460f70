"""What the pages show of a store, and what they say where there is none."""

import pytest
from starlette.testclient import TestClient


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
