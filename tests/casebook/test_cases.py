"""The casebook as a whole: every mechanism has a leak and a look-alike, and nothing recorded names this machine."""

import gzip
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from casebook.runner.case import CASEBOOK, BadCase, Case, case, load, names
from casebook.runner.check import check
from casebook.runner.evidence import recordings
from casebook.runner.expectation import MECHANISMS, expectation
from support import ROOT

INCIDENTS = ("rancher-30122", "open-simulator-88", "ttrpc-94", "kubernetes-98653", "kubernetes-83333")
CASES = [case(name) for name in names()]
# The project speaks of itself alone, and these servers judge the tool elsewhere.
KEPT_OUT = re.compile(r"^(prometheus|etcd|caddy|containerd)$")


def ours(one: Case) -> bool:
    """Tell whether a case is a program of our own with nothing but the standard library and our own modules."""
    return not one.upstream and one.name not in INCIDENTS


def programs() -> list[Case]:
    return [one for one in CASES if ours(one)]


def test_the_five_incidents_are_there() -> None:
    assert {*INCIDENTS} <= {*names()}
    for name in INCIDENTS:
        one = case(name)
        verdicts = {expectation(one, build.name).verdict for build in one.builds}
        assert verdicts == {"leaking", "healthy"}, name
        assert len({take.paths for take in one.takes if take.build.name == "leaking"}) >= 2, name


def test_every_mechanism_has_a_leak_and_a_look_alike() -> None:
    leaks: Counter[str] = Counter()
    looks: Counter[str] = Counter()
    for one in programs():
        for build in one.builds:
            truth = expectation(one, build.name)
            leaks.update({name for finding in truth.findings for name in finding.mechanisms})
            looks.update([truth.looks_like] if truth.looks_like else [])
    assert [name for name in MECHANISMS if not leaks[name]] == []
    assert [name for name in MECHANISMS if not looks[name]] == []
    assert len(programs()) >= 46


def test_real_servers_are_recorded_under_load() -> None:
    servers = [one for one in CASES if one.upstream]
    assert len(servers) >= 4
    for one in servers:
        assert expectation(one, one.builds[0].name).verdict == "healthy"
        assert not KEPT_OUT.match(one.upstream)


def test_programs_are_recorded_with_go_versions_that_print_differently() -> None:
    for one in programs():
        assert len({take.go for take in one.takes}) >= 2, one.name
    old = [one for one in programs() if "1.19" in {take.go for take in one.takes}]
    assert len(old) > len(programs()) * 0.9


def test_a_service_has_a_name_of_its_own() -> None:
    assert [name for name, uses in Counter(one.service for one in CASES).items() if uses > 1] == []


def test_every_folder_is_a_case() -> None:
    folders = {path.name for path in CASEBOOK.iterdir() if path.is_dir() and not path.name.startswith(("_", "."))}
    assert folders - {*names()} == {"runner", "modules"}


@pytest.mark.parametrize("one", CASES, ids=lambda one: one.name)
@pytest.mark.slow
def test_what_is_expected_is_true_of_the_evidence(one: Case) -> None:
    assert check(one) == []


def test_a_proof_is_kept_apart_where_go_has_one() -> None:
    for one in programs():
        for name, recorded in recordings(one).items():
            proofs = [snapshot.name for snapshot in recorded.snapshots if snapshot.file("goroutineleak.pb.gz")]
            assert proofs == ([recorded.snapshots[-1].name] if "go1.27" in name else []), f"{one.name}/{name}"


def _files(one: Case) -> list[Path]:
    return [path for path in sorted(one.folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]


# Paths of a developer's machine, as bytes that may stand in a profile.
_FOREIGN = re.compile(rb"/(?:work|root|home|tmp)/|proxy\.golang\.org|pypi\.org|deb\.debian\.org")


@pytest.mark.slow
def test_nothing_recorded_names_a_machine() -> None:
    for one in CASES:
        for path in _files(one):
            data = path.read_bytes()
            plain = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
            found = _FOREIGN.search(plain)
            assert not found, f"{path.relative_to(ROOT)} names {found[0]!r}"


def test_evidence_is_small() -> None:
    for one in CASES:
        size = sum(path.stat().st_size for path in _files(one))
        assert size < 8 << 20, f"{one.name} has {size >> 20} MiB"


def test_digests_are_those_of_the_files() -> None:
    import hashlib

    for one in CASES:
        for take in one.takes:
            folder = one.captures / take.name
            manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
            for name, digest in manifest["files"].items():
                found = hashlib.sha256((folder / name).read_bytes()).hexdigest()
                assert digest == f"sha256:{found}", f"{one.name}/{take.name}/{name}"


def test_captures_are_takes_that_case_toml_asks_for() -> None:
    for one in CASES:
        recorded = {path.name for path in one.captures.iterdir() if path.is_dir()}
        assert recorded == {take.name for take in one.takes}, one.name


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('title = "x"\nservice = "x"\ncolour = 1', "unknown key colour"),
        ('title = "x"', "service is missing"),
        ("title = ", "case.toml"),
        ('title = "x"\nservice = "x"', "what happens"),
        ('title = "x"\nservice = "x"\n[[phase]]\nseconds = 1', "moment is missing"),
        ('title = "x"\nservice = "x"\n[[take]]\nbuild = "fixed"\ngo = "1.26"\npaths = "trimpath"', "'fixed'"),
        ('title = "x"\nservice = "x"\n[[take]]\ngo = "1.26"\npaths = "trim-path"', "'trim-path' is none of modcache"),
        ('title = "x"\nservice = "x"\n[[take]]\ngo = "1.26"', "paths is missing"),
        ('title = "x"\nservice = "x"\nlive = "No"', "'No' is none of full"),
        ('title = "x"\nservice = "x"\n[[build]]\nflags = ["-x"]', "name is missing"),
        ('title = "x"\nservice = "x"\n[[build]]\nname = "a"\n[[build]]\nname = "a"', "more than one build is called a"),
        (
            'title = "x"\nservice = "x"\n[[phase]]\nmoment = "a"\nseconds = 1\nsend = [{ hold = "yes" }]',
            "'yes' is none of",
        ),
    ],
)
def test_a_bad_case_is_refused_in_words(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "case.toml").write_text(text)
    (tmp_path / "expect.toml").write_text('verdict = "healthy"\n')
    with pytest.raises(BadCase, match=re.escape(told)):
        load(tmp_path)


CAUSED = """verdict = "leaking"
[[finding]]
mechanism = "nil-channel"
[[finding.site]]
function = "main.x"
file = "a.go"
line = 3
[[finding.cause]]
role = "made"
file = "a.go"
line = 1
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('verdict = "fine"', "'fine'"),
        ('verdict = "leaking"', "has findings"),
        ('verdict = "leaking"\n[[finding]]\nmechanism = "magic"\n[[finding.site]]\nfunction = "main.x"', "'magic'"),
        ('verdict = "leaking"\n[[finding]]\nmechanism = "nil-channel"', "no site"),
        (
            'verdict = "leaking"\n[[finding]]\nmechanism = "nil-channel"\n[[finding.site]]\nfile = "a.go"',
            "no site with",
        ),
        ('verdict = "healthy"\n[alone.shim]\nverdict = "leaking"\nmechanism = "nil-channel"', "no site"),
        ('verdict = "healthy"\nlooks_like = "magic"', "'magic'"),
        ('verdict = "healthy"\n[[harmless]]\nfunction = "main.x"\nbecause = "luck"', "'luck'"),
        ('verdict = "healthy"\n[builds.other]\nverdict = "healthy"', "'other'"),
        (f"{CAUSED}also = [3]", "where it blocks is no other name of its cause"),
        (f'{CAUSED}also = ["4"]', "numbers of lines"),
    ],
)
def test_a_bad_expectation_is_refused_in_words(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "case.toml").write_text(
        'title = "x"\nservice = "x"\n[[build]]\nname = "only"\n[[phase]]\nmoment = "a"\nseconds = 1'
    )
    (tmp_path / "expect.toml").write_text(text)
    with pytest.raises(BadCase, match=re.escape(told)):
        expectation(load(tmp_path), "only")
