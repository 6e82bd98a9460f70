"""What is found, as SARIF: rules with help, places relative to the tree, fingerprints, drafted fixes as replacements."""

from typing import Any

import pytest

from oakum.model import Cause, CauseSite, Flaw, Frame, Problem, Remedy, Scan, Text
from oakum.report.sarif import document
from support import quoted

FILE = "src/desk/desk.go"
DIFF = "\n".join(
    [
        "--- a/src/desk/desk.go",
        "+++ b/src/desk/desk.go",
        "@@ -38,7 +38,8 @@",
        " ",
        " // Quote asks.",
        " func Quote() {",
        "-\toffers := make(chan Offer)",
        "+\toffers := make(chan Offer, 1)",
        "+\tdefer done()",
        " \tgo func() {",
        " \t\toffers <- ask()",
        " \t}()",
        "@@ -60,3 +61,2 @@",
        " \tx()",
        "-\ty()",
        " \tz()",
        "@@ -70,2 +70,3 @@",
        " \ta()",
        "+\tb()",
        " \tc()",
        "",
    ]
)


def flaw(*, diff: str | None = DIFF, mechanism: Any = "abandoned-sender") -> Flaw:
    sites = (
        CauseSite("never-received", Frame("desk.Quote", FILE, 51), "case <-patience.C:", ""),
        CauseSite("made", Frame("desk.Quote", FILE, 41), "offers := make(chan Offer)", ""),
    )
    remedy = Remedy("patch", Text("fix.buffer", {}), diff, None)
    return Flaw("00ff", mechanism, Cause((Text("one", {"at": "desk.go:51"}), Text("two")), sites), (remedy,))


def run_of(*flaws: Flaw, problems: tuple[Problem, ...] = (), lang: str = "en") -> dict[str, Any]:
    found = Scan(("src",), 3, 1, flaws, (), problems)
    log = document(found, "file:///home/me/src/", lambda file: file.removeprefix("src/"), lang)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


def test_a_rule_for_each_mechanism() -> None:
    run = run_of(flaw(mechanism="double-lock"), flaw(), flaw(), flaw(mechanism="of-a-later-version"))
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["abandoned-sender", "double-lock", "of-a-later-version"]
    assert "select" in rules[0]["help"]["text"]
    assert all(rule["shortDescription"]["text"] and rule["help"]["text"] for rule in rules)
    assert [result["ruleIndex"] for result in run["results"]] == [1, 0, 0, 2]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]


def test_places_are_relative_to_the_tree() -> None:
    run = run_of(flaw())
    assert run["originalUriBaseIds"] == {"SRCROOT": {"uri": "file:///home/me/src/"}}
    (result,) = run["results"]
    (location,) = result["locations"]
    assert location["physicalLocation"]["artifactLocation"] == {"uri": "desk/desk.go", "uriBaseId": "SRCROOT"}
    assert location["physicalLocation"]["region"]["startLine"] == 51
    (related,) = result["relatedLocations"]
    assert related["physicalLocation"]["region"] == {"startLine": 41, "snippet": {"text": "offers := make(chan Offer)"}}
    assert related["message"]["text"] == "created here"
    assert result["partialFingerprints"] == {"oakumFlaw/v1": "00ff"}
    assert result["message"]["text"] == "one (at=desk.go:51) two"


def test_a_diff_becomes_replacements_of_whole_lines() -> None:
    (fix,) = run_of(flaw())["results"][0]["fixes"]
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "desk/desk.go"
    told = [
        (one["deletedRegion"]["startLine"], one["deletedRegion"]["endLine"], one["insertedContent"]["text"])
        for one in change["replacements"]
    ]
    assert told == [
        (41, 42, "\toffers := make(chan Offer, 1)\n\tdefer done()\n"),
        (61, 62, ""),
        (71, 71, "\tb()\n"),
    ]


@pytest.mark.parametrize("diff", [None, "", DIFF.replace("desk.go", "other.go")])
def test_without_a_diff_of_its_file_there_is_no_fix(diff: str | None) -> None:
    assert "fixes" not in run_of(flaw(diff=diff))["results"][0]


def test_what_was_not_read_is_a_notification() -> None:
    problems = (
        quoted("no-go", "not Go", "src/a.go:7"),
        quoted("unread", "larger than 10 MB", "src/b.go"),
    )
    notes = run_of(problems=problems)["invocations"][0]["toolExecutionNotifications"]
    assert [note["message"]["text"] for note in notes] == ["not Go", "larger than 10 MB"]
    places = [note["locations"][0]["physicalLocation"] for note in notes]
    assert places[0] == {"artifactLocation": {"uri": "a.go", "uriBaseId": "SRCROOT"}, "region": {"startLine": 7}}
    assert places[1] == {"artifactLocation": {"uri": "b.go", "uriBaseId": "SRCROOT"}}


def test_in_chinese() -> None:
    run = run_of(flaw(), lang="zh")
    assert run["results"][0]["relatedLocations"][0]["message"]["text"] == "在此创建"
    assert "发送" in run["tool"]["driver"]["rules"][0]["shortDescription"]["text"]
