"""Clients of the pages over a store, without a network: requests, and forms with their token."""

import re
from pathlib import Path

from starlette.testclient import TestClient

from oakum.web.app import create_app
from oakum.web.settings import Settings
from web_store import END

ADDRESS = "http://127.0.0.1:8080"
Files = list[tuple[str, tuple[str, bytes]]]


def client_of(directory: Path, **changes: object) -> TestClient:
    settings = Settings(store=directory, port=8080, clock=lambda: END / 1e6, **changes)  # type: ignore[arg-type]
    return TestClient(create_app(settings), base_url=ADDRESS, raise_server_exceptions=False)


def token_of(client: TestClient, page: str = "/upload") -> str:
    found = re.search(r'name="form-token" value="([^"]+)"', client.get(page).text)
    assert found is not None
    return found[1]


def send(client: TestClient, address: str, files: Files | None = None, **fields: str):  # type: ignore[no-untyped-def]  # the client's own answer
    """Send a form with its token, as a browser does."""
    data = {"form-token": token_of(client), **fields}
    return client.post(address, data=data, files=files, headers={"Origin": ADDRESS})


__all__ = ["ADDRESS", "client_of", "send", "token_of"]
