"""The node of ttrpc-94 as it was recorded: one chain over three processes; of two the part that they show."""

import gzip
import re
import shutil
import tomllib
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest
from msgspec.structs import replace

from oakum.cli.case import case
from oakum.diagnose import diagnose
from oakum.model import Case, Diagnosis

FOLDER = Path(__file__).parents[2] / "casebook" / "ttrpc-94"
TAKES = sorted(path.name for path in (FOLDER / "captures").iterdir())
LEAKING = [name for name in TAKES if name.startswith("leaking")]
EXPECTED = tomllib.loads((FOLDER / "expect.toml").read_text())["chain"]
CALLS = [one for one in EXPECTED if one["kind"] != "socket"]  # how the last two stand still is told by their socket


@cache
def _case(take: str) -> Case:
    return case([str(FOLDER / "captures" / take)])


def _of(take: str, *names: str) -> Diagnosis:
    whole = _case(take)
    return diagnose(replace(whole, processes=tuple(one for one in whole.processes if one.name in names)))


@pytest.mark.parametrize("take", LEAKING)
def test_three_processes_are_one_chain(take: str) -> None:
    diagnosis = diagnose(_case(take))
    (chain,) = diagnosis.chains
    told = [
        {"from": edge.waiter.process, "to": edge.blocker.process, "kind": edge.protocol,
         "client": edge.waiter.frame.function, "server": edge.blocker.frame.function}
        for edge in chain.edges
    ]  # fmt: skip
    assert told == CALLS
    assert "socket-full" in {one.kind for one in chain.edges[-1].evidence}
    first, second = diagnosis.findings
    assert chain.finding == first.id
    assert (first.mechanism, second.mechanism) == ("peer-stopped-reading", "missing-deadline")
    assert [known.id for known in first.known] == ["ttrpc-94"]
    kubelet = next(one.id for one in diagnosis.processes if one.name == "kubelet")
    assert sum(one.count for one in first.suspect.victims if one.process == kubelet) > 100
    assert second.suspect.sites[0].process == kubelet


@pytest.mark.parametrize("take", LEAKING)
def test_one_dump_of_each_shows_the_chain_too(take: str) -> None:
    whole = _case(take)
    last = tuple(replace(one, snapshots=one.snapshots[-1:]) for one in whole.processes)
    diagnosis = diagnose(replace(whole, processes=last, sockets=()))
    assert [chain.processes for chain in diagnosis.chains] == [("kubelet", "containerd", "shim")]
    sure = [one.mechanism for one in diagnosis.findings if one.confidence != "possible"]
    assert sure == ["peer-stopped-reading", "missing-deadline"]
    assert (diagnosis.findings[1].suspect.sites[0].count or 0) > 100


@pytest.mark.parametrize("take", LEAKING)
def test_of_two_processes_the_chain_is_partial_and_the_third_is_a_gap(take: str) -> None:
    chains = {pair: _of(take, *pair) for pair in combinations(("kubelet", "containerd", "shim"), 2)}
    names = {pair: [chain.processes for chain in one.chains] for pair, one in chains.items()}
    assert names == {
        ("kubelet", "containerd"): [("kubelet", "containerd")],
        ("kubelet", "shim"): [],
        ("containerd", "shim"): [("containerd", "shim")],
    }
    gaps = {pair: [gap for gap in one.gaps if gap.what.key.startswith("gap.peer")] for pair, one in chains.items()}
    (shim,) = gaps["kubelet", "containerd"]
    assert str(shim.what.args["peers"]).startswith("shim (pid ")
    missing = [str(gap.what.args["peers"]) for gap in gaps["kubelet", "shim"]]
    assert any(peers.startswith("containerd (pid ") for peers in missing)
    assert gaps["containerd", "shim"] == []


@pytest.mark.parametrize("take", [name for name in TAKES if name not in LEAKING])
def test_nodes_that_are_well_have_no_chain(take: str) -> None:
    assert diagnose(_case(take)).chains == ()


def _aged_no_more(text: str) -> str:
    """Return a dump, or a log that quotes one, with no age of who writes: it was blocked less than a minute ago."""
    goroutines = re.split(r"(?=\bgoroutine \d+ \[)", text)
    return "".join(
        re.sub(r"\[IO wait, \d+ minutes\]", "[IO wait]", one) if "waitWrite" in one else one for one in goroutines
    )


@pytest.mark.parametrize("take", LEAKING)
def test_who_woke_up_before_the_captures_is_stuck_all_the_same(take: str, tmp_path: Path) -> None:
    """Others have waited for minutes, the writers not yet; their connection is full, and nothing moves in it."""
    copy = tmp_path / take
    early = shutil.ignore_patterns("*-before", "*-busy", "sockets.before.txt", "sockets.busy.txt")
    shutil.copytree(FOLDER / "captures" / take, copy, ignore=early)
    for file in [*copy.glob("*/*/goroutine.debug2.txt.gz"), *copy.glob("shim/**/*.txt.gz")]:
        file.write_bytes(gzip.compress(_aged_no_more(gzip.decompress(file.read_bytes()).decode()).encode()))
    diagnosis = diagnose(case([str(copy)]))
    assert [chain.processes for chain in diagnosis.chains] == [("kubelet", "containerd", "shim")]
    first = diagnosis.findings[0]
    assert (first.mechanism, first.confidence) == ("peer-stopped-reading", "likely")
