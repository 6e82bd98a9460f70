"""A small store as a watcher leaves it, and clients of the pages over it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from oakum.store import open_writer
from web_clients import client_of
from web_store import filled


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with services that leak and that are well; tests only read it. web_store.py says what is in it."""
    directory = tmp_path_factory.mktemp("web") / "store"
    with open_writer(directory) as writer:
        filled(writer)
    return directory


@pytest.fixture
def client(store: Path) -> Iterator[TestClient]:
    with client_of(store) as found:
        yield found


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[TestClient]:
    """A client of a server whose store does not exist."""
    with client_of(tmp_path / "none") as found:
        yield found
