"""Several processes that call each other, recorded: who waits for whom, whose fault it is, and what is no chain."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from oakum.cli.case import case
from oakum.diagnose import diagnose
from oakum.model import Capture, Case, Diagnosis, Socket, Sockets
from oakum.parse import parse
from oakum.report.json import diagnosis as read_document
from oakum.report.json import document
from oakum.report.words import say

HERE = Path(__file__).parent
TRUTHS = {path.parent.name: tomllib.loads(path.read_text()) for path in sorted(HERE.glob("*/truth.toml"))}
STUCK = [name for name, truth in TRUTHS.items() if truth["verdict"] == "leaking"]
KNOWN_KEYS = {"teaches", "verdict", "chains", "protocols", "root", "victims"}


@cache
def _case(name: str) -> Case:
    return case([str(HERE / name / "captures")])


@cache
def _diagnosed(name: str) -> Diagnosis:
    return diagnose(_case(name))


def _chains(diagnosis: Diagnosis) -> list[list[str]]:
    return [list(chain.processes) for chain in diagnosis.chains]


def _last(whole: Case, count: int) -> Case:
    processes = tuple(replace(one, snapshots=one.snapshots[-count:]) for one in whole.processes)
    return replace(whole, processes=processes)


def _without_sockets(whole: Case) -> Case:
    bare = [replace(one, snapshots=tuple(replace(at, sockets=None) for at in one.snapshots)) for one in whole.processes]
    return replace(whole, processes=tuple(bare), sockets=())


def _process(whole: Case, name: str) -> str:
    return next(one.id for one in whole.processes if one.name == name)


@pytest.mark.parametrize("name", TRUTHS)
def test_the_chains_are_those_of_the_truth(name: str) -> None:
    diagnosis, truth = _diagnosed(name), TRUTHS[name]
    assert (diagnosis.verdict == "leaking") == (truth["verdict"] == "leaking")
    assert _chains(diagnosis) == truth["chains"]
    for chain in diagnosis.chains:
        assert [edge.protocol for edge in chain.edges] == truth["protocols"]
        assert chain.finding == diagnosis.findings[0].id
        assert all(edge.evidence and edge.count for edge in chain.edges)


@pytest.mark.parametrize("name", STUCK)
def test_the_finding_is_the_blockers_and_whoever_waits_is_its_victim(name: str) -> None:
    diagnosis, truth, whole = _diagnosed(name), TRUTHS[name], _case(name)
    first, root = diagnosis.findings[0], truth["root"]
    site = first.suspect.sites[0]
    assert (site.process, site.frame.function) == (_process(whole, root["process"]), root["function"])
    assert first.mechanism in root["mechanisms"]
    assert first.confidence != "possible"
    for process, least in truth["victims"].items():
        behind = [one.count for one in first.suspect.victims if one.process == _process(whole, process)]
        assert sum(behind) >= least, process
    others = [one for one in diagnosis.findings[1:] if one.confidence != "possible"]
    assert {one.mechanism for one in others} <= {"missing-deadline"}  # a hop contributes, and is nobody's root cause
    assert len({one.suspect.sites[0].process for one in others}) == len(others)


@pytest.mark.parametrize("name", [name for name in TRUTHS if name not in STUCK])
@pytest.mark.parametrize("snapshots", [1, 2, 3])
def test_fewer_snapshots_make_no_chain_of_what_is_well(name: str, snapshots: int) -> None:
    diagnosis = diagnose(_last(_case(name), snapshots))
    assert diagnosis.chains == ()
    assert diagnosis.verdict != "leaking"


@pytest.mark.parametrize("name", STUCK)
def test_three_snapshots_of_a_stuck_system_show_the_chain_too(name: str) -> None:
    diagnosis = diagnose(_last(_case(name), 3))
    assert diagnosis.verdict == "leaking"
    assert _chains(diagnosis) == TRUTHS[name]["chains"]


@pytest.mark.parametrize("name", STUCK)
def test_without_sockets_names_and_counts_tell_the_same_chain(name: str) -> None:
    diagnosis = diagnose(_without_sockets(_case(name)))
    assert diagnosis.verdict != "healthy"
    if (
        name == "counters-before-a-desk"
    ):  # of three callers by HTTP that are named alike, one is told by its count alone
        assert _chains(diagnosis)
        assert all(chain in TRUTHS[name]["chains"] for chain in _chains(diagnosis))
    else:
        assert _chains(diagnosis) == TRUTHS[name]["chains"]


def test_a_cycle_without_connections_is_less_sure() -> None:
    whole = _case("accounts-settle-themselves")
    (sure,), (less,) = diagnose(whole).chains, diagnose(_without_sockets(whole)).chains
    assert less.cycle
    assert ([edge.confidence for edge in sure.edges], [edge.confidence for edge in less.edges]) == (
        ["likely", "likely"],
        ["possible", "possible"],
    )
    two = diagnose(_without_sockets(_last(whole, 2)))  # nobody can tell yet whether they stand still
    assert two.chains == ()


@pytest.mark.parametrize("name", [name for name in TRUTHS if name not in STUCK])
def test_without_sockets_what_is_well_makes_no_chain(name: str) -> None:
    diagnosis = diagnose(_without_sockets(_case(name)))
    assert diagnosis.chains == ()
    assert diagnosis.verdict != "leaking"


@pytest.mark.parametrize("name", STUCK)
def test_a_document_holds_the_chains(name: str) -> None:
    written = document(_diagnosed(name))
    names = {process["name"] for process in written["processes"]}
    for chain in written["chains"]:
        ends: list[dict[str, Any]] = [end for edge in chain["edges"] for end in (edge["from"], edge["to"])]
        assert {end["process"] for end in ends} <= names
        assert all(end["function"] and end["line"] for end in ends)
        assert all(edge["confidence"] in ("proven", "likely", "possible") for edge in chain["edges"])
    assert document(read_document(written)) == written


@pytest.mark.parametrize(
    ("name", "process"),
    [
        ("reservations-behind-a-recount", "gateway"),
        ("pages-wait-for-stock", "storefront"),
        ("payments-never-written", "clerk"),
        ("seats-with-open-rows", "desk"),
        ("mails-never-rendered", "mailer"),
    ],
)
def test_callers_that_pile_up_before_a_silent_backend_are_never_healthy(name: str, process: str) -> None:
    whole = _case(name)
    alone = tuple(one for one in whole.processes if one.name == process)
    diagnosis = diagnose(replace(whole, processes=alone))
    assert diagnosis.verdict != "healthy"
    assert diagnosis.findings[0].mechanism == "missing-deadline"
    assert "unanswered" in diagnosis.findings[0].suspect.kinds
    assert diagnosis.gaps[0].what.key.startswith("gap.peer")


def test_polls_before_a_hub_that_was_not_captured_are_inconclusive_and_the_hub_is_a_gap() -> None:
    diagnosis = diagnose(_case("polls-ever-more-before-a-hub"))
    assert diagnosis.verdict == "undecided"
    gap = next(one for one in diagnosis.gaps if one.what.key == "gap.peer")
    assert str(gap.what.args["peers"]).startswith("feedhub (pid ")


def test_a_system_that_stands_still_is_stuck_though_nothing_grows() -> None:
    whole = _case("payments-never-written")
    still = tuple(
        replace(one, snapshots=one.snapshots[-1:] * 3) for one in whole.processes
    )  # nobody comes, nobody goes
    diagnosis = diagnose(replace(whole, processes=still))
    assert diagnosis.verdict != "healthy"
    whole = _case("reservations-behind-a-recount")
    still = tuple(replace(one, snapshots=one.snapshots[-1:] * 3) for one in whole.processes)
    diagnosis = diagnose(replace(whole, processes=still))
    assert diagnosis.verdict == "leaking"
    assert _chains(diagnosis) == [["gateway", "orders", "inventory"]]


def test_a_process_that_was_not_captured_is_a_gap_with_its_address() -> None:
    whole = _case("reservations-behind-a-recount")
    left = tuple(one for one in whole.processes if one.name != "inventory")
    diagnosis = diagnose(replace(whole, processes=left))
    gap = next(one for one in diagnosis.gaps if one.what.key == "gap.peer")
    assert gap.process == _process(whole, "orders")
    assert str(gap.what.args["peers"]).startswith("inventory (pid ")
    assert gap.about.startswith("pid:")
    assert _chains(diagnosis) == [["gateway", "orders"]]
    assert diagnosis.findings[0].suspect.sites[0].process == _process(whole, "orders")


ROUTES = """\
apiVersion: v1
kind: List
items:
- kind: Service
  metadata: {namespace: shop, name: stock}
  spec: {clusterIP: 10.96.0.12, clusterIPs: [10.96.0.12], ports: [{port: 80, targetPort: 8080}]}
- kind: EndpointSlice
  metadata: {namespace: shop, name: stock-abcde, labels: {kubernetes.io/service-name: stock}}
  ports: [{port: 8080}]
  endpoints:
  - {addresses: [10.244.1.11], targetRef: {kind: Pod, namespace: shop, name: stock-7d4b9c6f5d-x2x7p}}
- kind: Pod
  metadata: {namespace: shop, name: stock-7d4b9c6f5d-x2x7p}
  status: {podIP: 10.244.1.11}
"""


@pytest.mark.parametrize(
    ("peer", "pod"),
    [("10.96.0.12:80", "Service shop/stock"), ("10.244.1.11:9999", "pod shop/stock-7d4b9c6f5d-x2x7p")],
)
def test_an_address_of_the_cluster_leads_to_the_pod_behind_it(peer: str, pod: str) -> None:
    whole = _without_sockets(_case("pages-wait-for-stock"))
    (routes,) = [reading.routes for reading in parse(Capture("cluster.yaml", ROUTES.encode())) if reading.routes]
    sockets = Sockets((Socket("tcp", "ESTAB", 0, 0, "10.244.1.9:40000", peer, 7, name="storefront", pid=1),))
    source = whole.processes[0].snapshots[0].sources["goroutines"]
    in_pods = tuple(
        replace(one, address="kube://pod/shop/stock-7d4b9c6f5d-x2x7p:6060") if one.name == "stock" else one
        for one in whole.processes
    )
    connected = replace(whole, processes=in_pods, sockets=((source, sockets),), routes=routes)
    ((edge,),) = [chain.edges for chain in diagnose(connected).chains]
    assert (edge.blocker.process, edge.confidence) == ("stock", "likely")
    told = next(say(one.claim) for one in edge.evidence if one.kind == "service-pod")
    assert told == f"storefront is connected to {peer}, the {pod}, and stock is a pod behind it."
    left = tuple(one for one in in_pods if one.name != "stock")
    gap = next(one for one in diagnose(replace(connected, processes=left)).gaps if one.what.key == "gap.peer")
    kind, name = pod.split(" ")
    assert gap.about == f"kube://{kind.lower()}/{name}"
    assert f"{name} ({peer})" in say(gap.what)


def test_every_truth_is_complete() -> None:
    for name, truth in TRUTHS.items():
        assert set(truth) <= KNOWN_KEYS, name
        assert truth["teaches"].endswith("."), name
        assert (truth["verdict"] == "healthy") == (truth["chains"] == []) == ("root" not in truth), name
