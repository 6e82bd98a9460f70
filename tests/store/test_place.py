"""A file given for a store is said to be one, whoever opens it."""

from pathlib import Path

import pytest

from oakum.model import StoreError
from oakum.store import open_reader
from oakum.store.checking import check


@pytest.mark.parametrize("ask", [open_reader, check])
def test_a_file_is_no_store(ask: object, tmp_path: Path) -> None:
    file = tmp_path / "x.png"
    file.write_bytes(b"\x89PNG")
    assert callable(ask)
    with pytest.raises(StoreError) as told:
        ask(file)
    assert told.value.text.key == "store.no-directory"
