"""Compare: two snapshots from their captures, or from what the store has of both; before and after a fix."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from oakum.store import open_reader, open_writer
from oakum.store.adding import add_evidence
from support import ROOT
from web_clients import client_of
from web_store import AT, HOUR

TAKES = ROOT / "casebook" / "kubernetes-98653" / "captures"
NOW = 1_790_000_000_000_000


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, int]]:
    """Return a store with a leaking and a fixed build of one service, and when each was last seen."""
    store = tmp_path_factory.mktemp("builds") / "store"
    with open_writer(store) as writer:
        for take in ("leaking", "fixed"):
            add_evidence(writer, [str(TAKES / f"{take}-go1.26-modcache")], NOW)
    with open_reader(store) as reader:
        times = {
            run.replica.partition("-")[0]: max(row.at for row in reader.snapshots("cpc") if row.run == run.run)
            for run in reader.runs("cpc")
        }
    return store, times


@pytest.fixture
def compared(builds: tuple[Path, dict[str, int]]) -> Iterator[TestClient]:
    with client_of(builds[0]) as client:
        yield client


def test_before_and_after_a_fix(compared: TestClient, builds: tuple[Path, dict[str, int]]) -> None:
    before, after = (f"cpc@{builds[1][take]}" for take in ("leaking", "fixed"))
    page = compared.get("/compare", params={"before": before, "after": after}).text
    assert "1 leak gone, no new one." in page
    assert page.count("<h1") == 1
    assert re.search(r"-160</td>.*?StreamWatcher\)\.receive", page, re.DOTALL)
    assert 'id="flame-heap-data"' in page
    assert 'id="flame-goroutines-data"' in page


@pytest.mark.slow
def test_the_other_way_round_the_leak_is_new(compared: TestClient, builds: tuple[Path, dict[str, int]]) -> None:
    before, after = (f"cpc@{builds[1][take]}" for take in ("leaking", "fixed"))
    swapped = compared.get("/compare", params={"before": after, "after": before}).text
    assert "1 leak gone" not in swapped
    assert "+160</td>" in swapped


def test_two_snapshots_of_one_run_have_no_verdict(compared: TestClient, builds: tuple[Path, dict[str, int]]) -> None:
    with open_reader(builds[0]) as reader:
        run = reader.nearest("cpc", builds[1]["leaking"])
        assert run is not None
        first = min(row.at for row in reader.snapshots("cpc") if row.run == run.run)
    page = compared.get("/compare", params={"before": f"cpc@{first}", "after": f"cpc@{builds[1]['leaking']}"}).text
    assert "Both are of one run" in page
    assert 'class="verdict' not in page
    assert "+160</td>" in page


def test_what_was_not_kept_is_compared_by_its_places(client: TestClient) -> None:
    page = client.get(
        "/compare", params={"before": f"orders@{AT + 5 * HOUR}", "after": f"orders@{AT + 20 * HOUR}"}
    ).text
    assert "are not kept" in page
    assert re.search(r'class="change-grown".*?\+\d{3}</td>.*?chan send.*?Hub\)\.Send', page, re.DOTALL)
    assert 'id="flame' not in page


def test_the_form_leads_from_a_service_to_two_snapshots(client: TestClient) -> None:
    first = client.get("/compare").text
    assert '<option value="orders">' in first
    chosen = client.get("/compare", params={"before": "orders"}).text
    assert chosen.count("<select") == 2
    assert len(re.findall(r'<option value="orders@\d+"', chosen)) >= 4  # those with captures, in both lists
    oldest, newest = (int(at) for at in re.findall(r'<option value="orders@(\d+)" selected', chosen))
    assert oldest < newest  # one button away from what grew
    assert "has no snapshot of" in client.get("/compare", params={"before": "ordres"}).text


@pytest.mark.parametrize("word", ["orders@x", "orders@99999999999999999999", "@", "orders@-1", "\x00", "a" * 3000])
def test_words_that_name_nothing(client: TestClient, word: str) -> None:
    assert client.get("/compare", params={"before": word, "after": "pay"}).status_code == 200


def test_snapshots_without_captures_are_offered_too(client: TestClient) -> None:
    chosen = client.get("/compare", params={"before": "pay"}).text
    times = [int(at) for at in re.findall(r'<option value="pay@(\d+)"', chosen)]
    assert len(times) == 60  # thirty hours, in both lists
    assert {int(at) for at in re.findall(r'<option value="pay@(\d+)" selected', chosen)} == {min(times), max(times)}


def test_without_a_store(empty: TestClient) -> None:
    assert "oakum store add" in empty.get("/compare").text
