"""Modules come through the go command, within the user's settings; what does not come is explained in words."""

import json
import os
import shutil
import stat
import zipfile
from pathlib import Path

import pytest

from oakum.collect.code.fetch import Fetch
from oakum.collect.code.sources import LocalSources
from oakum.experiment.call_go import call_go
from oakum.model import Frame, SourceNotFound
from oakum.report.words.lines import error_line
from support import ROOT
from toolchain import need_go

CAT = shutil.which("cat")
MODULE, VERSION = "k8s.io/apimachinery", "v0.18.8"


class Machine:
    """A home, and a `go` that is a script: it notes how it was called and answers as the test says."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.env = {"HOME": str(root / "home"), "PATH": str(root / "bin")}
        (root / "bin").mkdir()

    def go(self, answer: dict[str, object] | str = "", error: str = "", code: int = 0, more: str = "") -> None:
        (self.root / "out").write_text(answer if isinstance(answer, str) else json.dumps(answer), encoding="utf-8")
        (self.root / "err").write_text(error, encoding="utf-8")
        go = self.root / "bin" / "go"
        go.write_text(
            f'#!/bin/sh\n{{ echo "$@"; echo *; echo "$GOFLAGS|$GOTOOLCHAIN|$GOWORK|$GOPROXY|$GOPRIVATE"; }}'
            f" >> {self.root}/calls\n{more}\n{CAT} {self.root}/out\n{CAT} {self.root}/err >&2\nexit {code}\n",
            encoding="utf-8",
        )
        go.chmod(go.stat().st_mode | stat.S_IXUSR)

    @property
    def calls(self) -> list[list[str]]:
        """Return for each call its arguments, what lay in its directory, and its settings."""
        file = self.root / "calls"
        lines = file.read_text().splitlines() if file.exists() else []
        return [lines[at : at + 3] for at in range(0, len(lines), 3)]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def refusal(fetch: Fetch, module: str = MODULE, version: str = VERSION) -> str:
    with pytest.raises(SourceNotFound) as caught:
        fetch.module(module, version)
    return error_line(caught.value)


def test_how_go_is_asked(machine: Machine) -> None:
    place = machine.root / "there"
    place.mkdir()
    machine.go({"Path": MODULE, "Version": VERSION, "Dir": str(place)})
    machine.env |= {
        "GOFLAGS": "-mod=vendor -modcacherw -tags=x",
        "GOPROXY": "https://proxy.example",
        "GOPRIVATE": "k8s.io",
    }
    fetch = Fetch(call_go, machine.env)
    assert fetch.module(MODULE, VERSION) == fetch.module(MODULE, VERSION) == place
    assert machine.calls == [
        [
            f"mod download -json {MODULE}@{VERSION}",
            "*",  # nothing lies there
            "-mod=readonly -buildvcs=false -modcacherw -tags=x|local|off|https://proxy.example|k8s.io",
        ]
    ]


def test_what_the_module_cache_has_needs_no_go(machine: Machine) -> None:
    place = machine.root / "home/go/pkg/mod/github.com/!azure/x@v1.0.0-!r!c1"
    place.mkdir(parents=True)
    assert Fetch(call_go, machine.env).module("github.com/Azure/x", "v1.0.0-RC1") == place


@pytest.mark.parametrize(
    ("said", "means"),
    [
        (f"{MODULE}@{VERSION}: module lookup disabled by GOPROXY=off", "the settings forbid downloads (GOPROXY=off)"),
        ('Get "https://proxy.example/x": dial tcp: lookup proxy.example: no such host', "the proxy cannot be reached"),
        (
            'Get "https://proxy.example/x": dial tcp 10.0.0.1:443: connect: connection refused',
            "the proxy cannot be reached",
        ),
        ("reading https://proxy.example/x: 502 Bad Gateway", "the proxy cannot be reached"),
        (
            "tls: failed to verify certificate: x509: certificate signed by unknown authority",
            "the proxy cannot be reached",
        ),
        (
            "reading file:///mirror-502/401/x/@v/v1.2.0.info: no such file or directory",
            "the proxy has no such release, or gives it to nobody",
        ),
        ("reading https://proxy.example/x.info: 404 Not Found", "the proxy has no such release, or gives it to nobody"),
        (
            f"{MODULE}@{VERSION}: invalid version: unknown revision {VERSION}",
            "the proxy has no such release, or gives it to nobody",
        ),
        ("fatal: could not read Username for 'https://github.com': terminal prompts disabled", "access was denied"),
        (
            "verifying module: checksum mismatch\n\tSECURITY ERROR",
            "its checksum is not the one that is known: nothing of it is used",
        ),
        ("mkdir /home/user/go/pkg/mod: permission denied", "the module cache cannot be written"),
        (
            "x@v1 requires go >= 1.27.0 (running go 1.26.8; GOTOOLCHAIN=local)",
            "it asks for a newer go command than the one here",
        ),
        ("something new", "go says: something new"),
    ],
)
def test_errors_in_words(machine: Machine, said: str, means: str) -> None:
    machine.go({"Path": MODULE, "Error": said}, code=1)
    fetch = Fetch(call_go, machine.env)
    expected = f"{MODULE}@{VERSION} was not fetched: {means}"
    assert refusal(fetch).startswith(expected)
    assert said.splitlines()[0] in refusal(fetch)
    assert len(machine.calls) == 1


def test_a_go_that_fails_otherwise(machine: Machine) -> None:
    assert refusal(Fetch(call_go, machine.env)).endswith("there is no go command on this machine (https://go.dev/dl)")
    machine.go("", "go: cannot find GOROOT directory: /nowhere\n", 2)
    assert refusal(Fetch(call_go, machine.env)).endswith("go says: go: cannot find GOROOT directory: /nowhere")
    machine.go("", code=2)
    assert refusal(Fetch(call_go, machine.env)).endswith("go failed and said nothing")
    for nonsense in ("[]", "{", "[" * 100_000, "{}", '{"Dir": 7}', '{"Dir": "/nowhere/at/all"}'):
        machine.go(nonsense)
        assert refusal(Fetch(call_go, machine.env)).endswith("go named no directory for it")
    machine.go(" " * (9 << 20))
    assert refusal(Fetch(call_go, machine.env)).endswith("go printed more than an answer")


def test_a_go_that_hangs_is_ended_with_what_it_started(machine: Machine) -> None:
    machine.go(more=f"{shutil.which('sleep')} 60")
    assert refusal(Fetch(call_go, machine.env, seconds=1)).endswith("go mod took longer than 1 s")


@pytest.mark.parametrize(
    "module",
    ["-x", "--help", "app/db", "main", "", "../x", "/etc", "a.b/../c", "k8s.io/api@v1", "k8s.io/a b", "k8s.io/\nx"],
)
def test_names_that_are_no_modules_reach_no_command(machine: Machine, module: str) -> None:
    machine.go()
    fetch = Fetch(call_go, machine.env)
    assert "is not the path of a module" in refusal(fetch, module)
    with pytest.raises(SourceNotFound) as caught:
        fetch.releases(module)
    assert "is not the path of a module" in error_line(caught.value)
    assert machine.calls == []


@pytest.mark.parametrize(
    "version", ["latest", "(devel)", "v1", "master", "", "v1.2.3 -x", "v1.2.3\n", "(replaced)", "v1.2.3/../../x"]
)
def test_versions_that_are_none_reach_no_command(machine: Machine, version: str) -> None:
    machine.go()
    assert refusal(Fetch(call_go, machine.env), version=version).endswith("this is not the version of a release")
    assert machine.calls == []


def test_not_more_modules_than_one_diagnosis_needs(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oakum.collect.code.fetch._MOST_MODULES", 2)
    machine.go({"Error": "404"}, code=1)
    fetch = Fetch(call_go, machine.env)
    said = [refusal(fetch, version=f"v0.{number}.0") for number in range(3)]
    assert said[2].endswith("2 modules were asked for already")
    assert len(machine.calls) == 2


def test_a_release_of_go(machine: Machine) -> None:
    place = machine.root / "toolchain"
    place.mkdir()
    machine.go({"Dir": str(place)})
    fetch = Fetch(call_go, machine.env)
    assert fetch.goroot("go1.22.1") == place
    assert fetch.goroot("go1.22.2 X:nocoverageredesign") == place
    assert machine.calls[0][0] == "mod download -json golang.org/toolchain@v0.0.1-go1.22.1.linux-amd64"
    for version, why in (
        (
            "go1.19.8",
            "the module proxy has Go since 1.21; go install golang.org/dl/go1.19.8@latest && go1.19.8 download brings this one",
        ),
        ("devel go1.27-abc", "that is no release of Go"),
        ("go1.22", "that is no release of Go"),
        ("", "that is no release of Go"),
    ):
        with pytest.raises(SourceNotFound) as caught:
            fetch.goroot(version)
        assert error_line(caught.value).endswith(why)


def test_releases_are_those_listed_and_those_in_the_cache(machine: Machine) -> None:
    packed = machine.root / "home/go/pkg/mod/cache/download" / MODULE / "@v"
    packed.mkdir(parents=True)
    for name in ("list", "v0.18.8.zip", "v0.20.0.zip", "v0.20.0.info", "v0.19.0.mod"):
        (packed / name).touch()
    machine.go({"Path": MODULE, "Versions": ["v0.18.8", "v0.21.0", 7, "nonsense"]})
    fetch = Fetch(call_go, machine.env)
    assert set(fetch.releases(MODULE)) == {"v0.18.8", "v0.20.0", "v0.21.0"}
    assert fetch.releases(MODULE) is fetch.releases(MODULE)
    assert machine.calls[0][0] == f"list -m -versions -json {MODULE}"
    machine.go("", "go: module k8s.io/apimachinery: dial tcp: no such host", 1)
    assert set(Fetch(call_go, machine.env).releases(MODULE)) == {"v0.18.8", "v0.20.0"}
    with pytest.raises(SourceNotFound) as caught:
        Fetch(call_go, machine.env).releases("k8s.io/other")
    told = error_line(caught.value)
    assert told.startswith("the releases of k8s.io/other could not be listed: the proxy cannot be reached")
    told = error_line(caught.value, "zh")
    assert told.startswith("无法列出 k8s.io/other 的版本：无法访问模块代理（“go: module k8s.io/apimachinery: dial tcp")


def proxy(root: Path, module: str, releases: dict[str, dict[str, str]]) -> str:
    """Write a module proxy into a directory and return its GOPROXY."""
    place = root / module / "@v"
    place.mkdir(parents=True)
    (place / "list").write_text("".join(f"{version}\n" for version in releases))
    for version, files in releases.items():
        (place / f"{version}.info").write_text(json.dumps({"Version": version, "Time": "2026-01-01T00:00:00Z"}))
        (place / f"{version}.mod").write_text(files["go.mod"])
        with zipfile.ZipFile(place / f"{version}.zip", "w") as packed:
            for name, text in files.items():
                packed.writestr(f"{module}@{version}/{name}", text)
    return f"file://{root}"


@pytest.mark.live
def test_a_module_comes_from_a_proxy(tmp_path: Path) -> None:
    go = need_go()
    harbor = ROOT / "casebook/modules/harbor"
    files = {str(p.relative_to(harbor)): p.read_text() for p in harbor.rglob("*") if p.is_file()}
    module = files["go.mod"].split()[1]
    files["go.mod"] = f"module {module}\n"
    env = dict(os.environ) | {
        "PATH": f"{go.parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path / "home"),
        "GOPATH": str(tmp_path / "gopath"),
        "GOMODCACHE": str(tmp_path / "cache"),
        "GOPROXY": proxy(tmp_path / "proxy", module, {"v1.0.0": files, "v1.1.0": files}),
        "GOSUMDB": "off",
        "GOFLAGS": "-modcacherw",
    }
    fetch = Fetch(call_go, env)
    assert fetch.releases(module) == ("v1.0.0", "v1.1.0")
    frame = Frame(f"{module}.New", f"/ci/go/pkg/mod/{module}@v1.0.0/harbor.go", 1)
    with pytest.raises(SourceNotFound):
        LocalSources(env=env).file(frame)
    sources = LocalSources(env=env, fetch=fetch)
    assert sources.file(frame).data.decode() == files["harbor.go"]
    assert sources.file(frame).path == str(tmp_path / "cache" / f"{module}@v1.0.0" / "harbor.go")
    said = refusal(fetch, module, "v1.2.0")
    assert said.startswith(f"{module}@v1.2.0 was not fetched: the proxy has no such release")
