"""oakum known: the catalogue listed, searched and shown; versions looked up; evidence matched with it."""

import json
import re
from pathlib import Path

import pytest

from cli.conftest import Call
from folded_profile import HEAP, folded_profile
from oakum.cli.case import case
from oakum.cli.known_match import counted, match
from oakum.cli.screen import columns_of
from oakum.knowledge.leaks import leaks
from oakum.views.proto import encode
from support import ROOT

STUCK = """goroutine {id} [chan send, 12 minutes]:
k8s.io/apimachinery/pkg/watch.(*StreamWatcher).receive(0xc0002c4040)
	{folder}/pkg/watch/streamwatcher.go:127 +0x18e
created by k8s.io/apimachinery/pkg/watch.NewStreamWatcher in goroutine 33
	{folder}/pkg/watch/streamwatcher.go:71 +0xbe

"""
MAIN = "goroutine 1 [select]:\nmain.main()\n\t/src/main.go:9 +0x1d\n\n"
NUMBER = re.compile(r"^goroutine \d+ ")
CAPTURES = ROOT / "casebook"


def dump(folder: Path, count: int, module: str = "/go/pkg/mod/k8s.io/apimachinery@v0.18.8") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "goroutine.txt"
    file.write_text(MAIN + "".join(STUCK.format(id=57 + at, folder=module) for at in range(count)))
    return file


def test_all_are_listed_one_a_line_in_a_pipe(oakum: Call) -> None:
    answer = oakum("known")
    assert (answer.code, answer.err) == (0, "")
    assert len(answer.out.splitlines()) == len(leaks().ids)
    (line,) = [line for line in answer.out.splitlines() if line.startswith("kubernetes-98653 ")]
    assert line.split()[1:3] == ["k8s.io/apimachinery", "v0.21.0"]
    assert line.endswith(leaks().entry("kubernetes-98653").summary["en"])
    assert oakum("known", "list").out == answer.out


@pytest.mark.parametrize("columns", ["80", "120"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_pages_keep_within_the_screen(
    oakum: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, columns: str, lang: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.chdir(tmp_path)
    dump(tmp_path / "captures", 40)
    for words in ([], ["show", "ttrpc-94"], ["match", "captures"], ["k8s.io/kubernetes@v1.16.1"]):
        out = oakum("known", *words, "--lang", lang).out
        long = [line for line in out.splitlines() if columns_of(line) > int(columns)]
        assert not [line for line in long if "https://" not in line and "$ " not in line]


@pytest.mark.parametrize(
    "words",
    [
        ["98653"],
        ["#98653"],
        ["streamwatcher", "resultchan"],
        ["https://github.com/kubernetes/kubernetes/pull/98653/files"],
        ["(*StreamWatcher).receive"],
        ["watch", "停止"],
        ["search", "98653"],
        ["--module", "k8s.io/apimachinery", "--mechanism", "abandoned-sender", "--project", "kubernetes"],
    ],
)
def test_found_by(oakum: Call, words: list[str]) -> None:
    found = json.loads(oakum("known", "--json", *words).out)["leaks"]
    assert "kubernetes-98653" in [one["id"] for one in found]
    assert len(found) < len(leaks().ids)


def test_nothing_found_suggests_what_is_near(oakum: Call) -> None:
    answer = oakum("known", "streamwacher")
    assert answer.code == 0
    assert "No known bug matches streamwacher" in answer.out
    assert "NewStreamWatcher" in answer.out
    assert oakum("known", "--project", "nowhere").code == 0


def test_one_is_shown_whole(oakum: Call) -> None:
    answer = oakum("known", "kubernetes-83333")
    assert answer.code == 0
    entry = leaks().entry("kubernetes-83333")
    for words in (entry.summary, entry.trigger, entry.cause, entry.fix, entry.risk, *entry.workarounds):
        assert words["en"] in answer.out
    assert "v1.15.0 to v1.15.4; v1.16.0 to v1.16.1" in answer.out
    assert "created by k8s.io/apiserver/pkg/server/filters.(*timeoutHandler).ServeHTTP\n" in answer.out
    assert all(url in answer.out for url in entry.references)
    assert oakum("known", "show", "KUBERNETES-83333").out == answer.out


def test_an_entry_as_json_has_everything(oakum: Call) -> None:
    said = json.loads(oakum("known", "show", "ttrpc-94", "--json").out)
    assert said["schema"] == "oakum.known/1"
    (one,) = said["leaks"]
    entry = leaks().entry("ttrpc-94")
    assert one["summary"] == entry.summary
    assert one["project"] == "ttrpc"
    assert [row["module"] for row in one["affects"]] == [row.module for row in entry.affects]
    assert {"leaf", "path", "states", "created", "where", "symptom"} <= set(one["goroutines"][0])
    assert {example["matches"] for example in one["examples"]} == {True, False}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["show", "kubernetes-98654"], "perhaps kubernetes-98653"),
        (["show"], "show what?"),
        (["match"], "match what?"),
        (["--binary", "x", "watch"], "only for match"),
        (["match", "--project", "x", "y"], "match compares with the whole catalogue"),
        (["k8s.io/apimachinery@latest"], "is no version"),
        (["watch", "-o", "x.html"], "the output is text or JSON"),
    ],
)
def test_what_is_refused(oakum: Call, words: list[str], told: str) -> None:
    answer = oakum("known", *words)
    assert (answer.code, answer.out) == (2, "")
    assert told in answer.err


@pytest.mark.parametrize(
    ("name", "has", "code"),
    [
        ("k8s.io/apimachinery@v0.18.8", True, 1),
        ("apimachinery@0.20.15", True, 1),
        ("k8s.io/apimachinery@v0.21.0", False, None),
        ("k8s.io/kubernetes@v1.18.8+k3s1", True, 1),
        ("example.com/nobody@v1.2.3", False, 0),
        ("go@1.21.3", False, None),
    ],
)
def test_which_known_leaks_a_version_has(oakum: Call, name: str, has: bool, code: int | None) -> None:
    answer = oakum("known", name, "--json")
    rows = {row["id"]: row for row in json.loads(answer.out)["carried"]}
    assert ("kubernetes-98653" in rows) is has
    assert code is None or answer.code == code
    assert oakum("known", name).out.count("\n") >= 1


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("go@go1.22.1", "Go 1.22.1 has "),
        ("go@1.22.1", "fixed in Go 1.23.0"),
        ("k8s.io/apimachinery@v0.0.0-20991231235959-abcdefabcdef", "no confirmed known bug; 3 cannot be ruled out"),
        ("example.com/a@v1.0.0", "No known bug of example.com/a in any version."),
        ("docker@24.0.1", "Not affected by 1 other of this module: moby-33781."),
    ],
)
def test_how_a_version_is_told(oakum: Call, name: str, told: str) -> None:
    assert told in oakum("known", name).out


def test_spelled_otherwise(oakum: Call) -> None:
    assert oakum("known", "").out == oakum("known").out
    assert oakum("known", "--project", "Kubernetes").out == oakum("known", "--project", "kubernetes").out
    assert oakum("known", "show", "TTRPC-94", "ttrpc-94").out == oakum("known", "ttrpc-94").out


def test_evidence_is_matched(oakum: Call, tmp_path: Path) -> None:
    answer = oakum("known", "match", dump(tmp_path, 40))
    assert answer.code == 1
    assert answer.out.startswith("MATCHED  1 known bug in this evidence.")
    for told in (
        "kubernetes-98653 · k8s.io/apimachinery v0.18.8; this version is affected",
        "chan send, 40 goroutines, blocked for up to 12 min",
        "k8s.io/apimachinery v0.21.0 or later",
        "https://github.com/kubernetes/kubernetes/pull/98653",
    ):
        assert told in answer.out
    assert oakum("known", tmp_path / "goroutine.txt").out == answer.out  # a file is evidence
    assert oakum("known", "match", "--exit-zero", tmp_path).code == 0


def test_a_match_as_json(oakum: Call, tmp_path: Path) -> None:
    for at, count in enumerate((3, 9)):
        dump(tmp_path / str(at), count)
    said = json.loads(oakum("known", "match", "--json", tmp_path / "0", tmp_path / "1").out)
    assert said["schema"] == "oakum.known-match/1"
    (one,) = said["matches"]
    assert (one["id"], one["goroutines"], one["counts"]) == ("kubernetes-98653", [3, 9], True)
    assert one["known"][0]["affects_build"] == "yes"


@pytest.mark.parametrize(
    ("count", "module", "code", "told"),
    [
        (1, "/go/pkg/mod/k8s.io/apimachinery@v0.18.8", 0, "one goroutine is not a pile-up"),
        (40, "/go/pkg/mod/k8s.io/apimachinery@v0.21.0", 0, "has the fix: another cause"),
        (40, "/go/pkg/mod/github.com/rancher/apimachinery@v0.18.8-rancher1", 1, "is built instead of"),
        (40, "/srv/vendor/k8s.io/apimachinery", 1, "The running version of"),
    ],
)
def test_what_speaks_against_it(oakum: Call, tmp_path: Path, count: int, module: str, code: int, told: str) -> None:
    answer = oakum("known", "match", dump(tmp_path, count, module))
    assert answer.code == code
    assert told in answer.out


def test_the_program_tells_the_version(oakum: Call, tmp_path: Path) -> None:
    """A vendored build has no versions in its paths."""
    file = dump(tmp_path / "captures", 40, "/srv/vendor/k8s.io/apimachinery")
    for version, code in (("v0.18.8", 1), ("v0.21.0", 0)):
        build = tmp_path / "build.txt"
        build.write_text(f"/srv/app: go1.26.8\n\tpath\texample.com/app\n\tdep\tk8s.io/apimachinery\t{version}\th1:x=\n")
        answer = oakum("known", "match", "--binary", build, file)
        assert answer.code == code
        assert f"k8s.io/apimachinery {version}" in answer.out


def test_what_is_normal_has_to_grow(oakum: Call, tmp_path: Path) -> None:
    """One informer has one such goroutine: several are several informers."""
    example = next(one.dump for one in leaks().examples("kubernetes-112200") if one.matches)
    for at, count in enumerate((10, 10, 40)):
        (tmp_path / str(at)).mkdir()
        text = "".join(NUMBER.sub(f"goroutine {57 + id_} ", f"{example.strip()}\n\n") for id_ in range(count))
        (tmp_path / str(at) / "goroutine.txt").write_text(MAIN + text)
    assert "capture again later" in oakum("known", "match", tmp_path / "0").out
    still = oakum("known", "match", tmp_path / "0", tmp_path / "1")
    assert still.code == 0
    assert "does not grow here" in still.out
    assert oakum("known", "match", tmp_path / "0", tmp_path / "2").code == 1


@pytest.mark.parametrize(("held", "code", "told"), [(9_000, 1, "47% of the heap"), (100, 0, "not a pile-up")])
def test_memory_is_matched(oakum: Call, tmp_path: Path, held: int, code: int, told: str) -> None:
    example = next(one.heap for one in leaks().examples("rancher-30122") if one.matches and one.heap)
    path = ";".join(reversed(example.split()))
    file = tmp_path / "heap.pb.gz"
    file.write_bytes(encode(folded_profile({path: (1, held), "main.main;main.load": (1, 10_000)}, HEAP, kind="heap")))
    answer = oakum("known", "match", file)
    assert answer.code == code
    assert "rancher-30122" in answer.out
    assert told in answer.out


@pytest.mark.slow
def test_a_symptom_names_nothing(oakum: Call) -> None:
    said = [
        oakum("known", "match", CAPTURES / "ttrpc-94" / "captures" / "leaking-go1.26-modcache" / name)
        for name in ("kubelet", "shim")
    ]
    assert said[0].code == 0
    assert "Possible: known bugs and other causes share this symptom\n   ttrpc-94 " in said[0].out
    assert said[1].code == 1
    assert "in the peer process" in said[1].out


def test_what_cannot_be_read(oakum: Call, tmp_path: Path) -> None:
    assert oakum("known", "match", tmp_path / "gone.txt").code == 4
    (tmp_path / "text.txt").write_text("nothing of interest\n")
    assert oakum("known", "match", tmp_path / "text.txt").code == 4


@pytest.mark.slow
def test_no_healthy_case_is_matched() -> None:
    """Also not the cases in which the leak was fixed; those with one of several leaks fixed still have the others."""
    folders = [*CAPTURES.glob("healthy-*/captures/*"), *CAPTURES.glob("*/captures/fixed-go*")]
    assert len(folders) > 20
    for folder in folders:
        seen = match(case([str(folder)]), lambda _: None)
        assert not list(counted(seen.sightings)), folder
