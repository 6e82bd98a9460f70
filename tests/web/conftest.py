"""A small store as a watcher leaves it, and clients of the pages over it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from oakum.store import open_writer
from oakum.web.app import create_app
from oakum.web.settings import Settings
from web_store import END, filled


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with services that leak and that are well; tests only read it. web_store.py says what is in it."""
    directory = tmp_path_factory.mktemp("web") / "store"
    with open_writer(directory) as writer:
        filled(writer)
    return directory


def client_of(directory: Path, **changes: object) -> TestClient:
    settings = Settings(store=directory, port=8080, clock=lambda: END / 1e6, **changes)  # type: ignore[arg-type]
    return TestClient(create_app(settings), base_url="http://127.0.0.1:8080", raise_server_exceptions=False)


@pytest.fixture
def client(store: Path) -> Iterator[TestClient]:
    with client_of(store) as found:
        yield found


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[TestClient]:
    """A client of a server whose store does not exist."""
    with client_of(tmp_path / "none") as found:
        yield found
