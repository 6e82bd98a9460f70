"""A diagnosis as SARIF: levels, places that hold on other machines, related places, paths, drafted fixes."""

import json
from typing import Any, cast

import pytest
from msgspec.structs import replace

from diagnoses import HANDLER, RECEIVE, cause, changed, empty, heap_leak, leak, rich
from oakum.model import Build, CauseSite, Diagnosis, Frame, ProcessRow, Remedy, Site, Text
from oakum.report.findings_sarif import document

DRAFT = "--- a/desk.go\n+++ b/desk.go\n@@ -41,1 +41,1 @@\n-\tanswers := make(chan Answer)\n+\tanswers := make(chan Answer, 1)\n"


def run_of(diagnosis: Diagnosis, lang: str = "en") -> dict[str, Any]:
    log = json.loads(json.dumps(document(diagnosis, lang)))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


def test_a_result_for_each_finding() -> None:
    run = run_of(rich())
    first, second = run["results"]
    rules = run["tool"]["driver"]["rules"]
    assert [rules[one["ruleIndex"]]["id"] for one in (first, second)] == ["abandoned-sender", "growing-container"]
    assert (first["level"], second["level"]) == ("error", "warning")
    assert first["partialFingerprints"] == {"oakumFinding/v1": "a1b2c3"}
    assert first["properties"]["known"] == ["kubernetes-98653"]
    assert "oakum goroutines --stacks after/goroutine.txt" in first["properties"]["commands"]
    assert run["properties"]["verdict"] == "leaking"
    assert len(run["properties"]["captures"]) == 2
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["descriptor"]["id"] == "gap.heap"
    assert note["message"]["text"].endswith("curl -o heap.pb.gz http://HOST:PORT/debug/pprof/heap")


def test_it_is_told_at_the_program_s_own_code() -> None:
    first, second = run_of(rich())["results"]
    (place,) = first["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"].endswith(HANDLER.file.rpartition("/")[2])
    related = {
        (one["physicalLocation"]["artifactLocation"].get("uriBaseId"), one["message"]["text"])
        for one in first["relatedLocations"]
        if "physicalLocation" in one
    }
    assert ("GOMODCACHE", "blocked here") in related
    assert [one["id"] for one in first["relatedLocations"]] == list(range(1, len(first["relatedLocations"]) + 1))
    (flow,) = second["codeFlows"]
    steps = flow["threadFlows"][0]["locations"]
    assert [one["location"]["logicalLocations"][0]["fullyQualifiedName"] for one in steps] == [
        "main.main",
        HANDLER.function,
    ]


BUILD = Build("go1.26.8", "example.com/shop/cmd/orders", "example.com/shop", "(devel)")


@pytest.mark.parametrize(
    ("frame", "place"),
    [
        (RECEIVE, ("k8s.io/apimachinery@v0.18.8/pkg/watch/streamwatcher.go", "GOMODCACHE")),
        (Frame("k8s.io/x.F", "k8s.io/x@v1.2.3/f.go", 3), ("k8s.io/x@v1.2.3/f.go", "GOMODCACHE")),
        (Frame("net/http.(*conn).serve", "/usr/local/go/src/net/http/server.go", 9), ("src/net/http/server.go", "GOROOT")),
        (Frame("net/http.(*conn).serve", "net/http/server.go", 9), ("src/net/http/server.go", "GOROOT")),
        (Frame("example.com/shop/desk.Ask", "/srv/ci/desk/ask.go", 7), ("desk/ask.go", "SRCROOT")),
        (Frame("example.com/shop/desk.Ask", "example.com/shop/desk/ask.go", 7), ("desk/ask.go", "SRCROOT")),
        (Frame("example.com/shop.Ask", "/srv/ci/ask.go", 7), ("ask.go", "SRCROOT")),
        (Frame("main.main", "/srv/ci/cmd/orders/main.go", 7), ("cmd/orders/main.go", "SRCROOT")),
        (Frame("example.com/shopping.Ask", "/srv/a b#c.go", 7), ("file:///srv/a%20b%23c.go", None)),
        (Frame("example.com/other.Ask", "javascript:alert(1).go", 7), ("javascript%3Aalert(1).go", None)),
    ],
    ids=lambda value: "" if isinstance(value, tuple) else None,
)  # fmt: skip
def test_places_hold_on_other_machines(frame: Frame, place: tuple[str, str | None]) -> None:
    found = heap_leak()
    found = replace(found, suspect=replace(found.suspect, sites=(Site("blocked", frame),), path=()))
    diagnosis = replace(empty(), processes=(ProcessRow("p1", "orders", BUILD),), findings=(found,))
    (location,) = run_of(diagnosis)["results"][0]["locations"]
    file = location["physicalLocation"]["artifactLocation"]
    assert (file["uri"], file.get("uriBaseId")) == place
    assert file.get("uriBaseId") in (None, *run_of(diagnosis)["originalUriBaseIds"])
    assert location["physicalLocation"]["region"]["startLine"] == frame.line


def test_a_drafted_fix_comes_as_replacements() -> None:
    at = Frame("example.com/shop.Ask", "/srv/orders/desk.go", 41)
    why = replace(cause(), sites=(CauseSite("made", at, "answers := make(chan Answer)"),))
    found = changed(leak(), cause=why, remedies=(Remedy("patch", Text("fix.buffer"), DRAFT),))
    (result,) = run_of(replace(rich(), findings=(found,)))["results"]
    (fix,) = result["fixes"]
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"] == {"uri": "desk.go", "uriBaseId": "SRCROOT"}
    (replacement,) = change["replacements"]
    assert replacement["insertedContent"]["text"] == "\tanswers := make(chan Answer, 1)\n"


def test_healthy_has_no_results() -> None:
    run = run_of(empty())
    assert run["results"] == []
    assert run["tool"]["driver"]["rules"] == []


def test_hostile_names_stay_names() -> None:
    name: Any = "</script>" + "x" * 1_000_000
    found = heap_leak()
    found = replace(
        found, mechanism=cast(Any, "x'uriBaseId': 'EVIL'"), suspect=replace(found.suspect, sites=(Site("blocked", Frame(name, name, -4)),), path=())
    )  # fmt: skip
    run = run_of(replace(rich(), findings=(found,)), "zh")
    (location,) = run["results"][0]["locations"]
    assert "region" not in location["physicalLocation"]
    assert len(json.dumps(run)) < 100_000
    assert set(run["originalUriBaseIds"]) == {"SRCROOT", "GOMODCACHE", "GOROOT"}
    known = tuple(replace(one, id=name) for one in leak().known)
    endless = replace(rich(), summary=Text(name), findings=(changed(leak(), id=name, mechanism=name, known=known),))
    run = run_of(endless)
    assert run["results"][0]["ruleId"] == run["tool"]["driver"]["rules"][0]["id"]
    assert len(json.dumps(run)) < 100_000
