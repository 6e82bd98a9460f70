"""oakum scan on what Go really builds: affected and fixed releases, told apart in program, go.mod and vendored list."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from support import oakum_process as oakum
from toolchain import DownloadFailed, download, environment, need_go

WATCH = """package main

import (
	"errors"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

type source struct{}

func (source) Decode() (watch.EventType, runtime.Object, error) { return "", nil, errors.New("none") }
func (source) Close()                                           {}
func (source) AsObject(error) runtime.Object                     { return nil }

func main() { println(watch.NewStreamWatcher(source{}, source{}) != nil) }
"""
SETS = """package main

import "k8s.io/apimachinery/pkg/util/sets"

func main() { println(sets.NewString("a").Has("a")) }
"""
CLIENT = """package main

import (
	"net"

	"github.com/containerd/ttrpc"
)

func main() {
	conn, _ := net.Pipe()
	println(ttrpc.NewClient(conn) != nil)
}
"""


class Program(NamedTuple):
    """What is built, and what `scan` has to say to it."""

    name: str
    source: str
    module: str
    version: str
    leak: str
    carried: bool  # the version has the leak
    linked: bool = True


PROGRAMS = [
    Program("watch-leaking", WATCH, "k8s.io/apimachinery", "v0.20.15", "kubernetes-98653", True),
    Program("watch-fixed", WATCH, "k8s.io/apimachinery", "v0.21.0", "kubernetes-98653", False),
    Program("sets-only", SETS, "k8s.io/apimachinery", "v0.20.15", "kubernetes-98653", True, linked=False),
    Program("ttrpc-leaking", CLIENT, "github.com/containerd/ttrpc", "v1.0.1", "ttrpc-94", True),
    Program("ttrpc-fixed", CLIENT, "github.com/containerd/ttrpc", "v1.1.0", "ttrpc-94", False),
]


def go(folder: Path, *words: str) -> None:
    done = subprocess.run(
        [need_go(), *words], cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def scanned(path: Path) -> tuple[int, dict[str, Any]]:
    answer = oakum("scan", "--known", "--json", path)
    return answer.code, json.loads(answer.out)


def ids(said: dict[str, Any], part: str) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in said[part]}


@pytest.mark.live
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_affected_and_fixed_are_told_apart(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "main.go").write_text(program.source)
    (tmp_path / "go.mod").write_text(
        f"module example.com/app\n\ngo 1.21\n\nrequire {program.module} {program.version}\n"
    )
    try:
        download([str(need_go()), "mod", "tidy"], tmp_path)
        download([str(need_go()), "mod", "vendor"], tmp_path)
    except DownloadFailed as reason:
        pytest.skip(str(reason))
    builds = {
        "plain": ("-mod=mod",),
        "trimmed": ("-mod=mod", "-trimpath"),
        "stripped": ("-mod=mod", "-ldflags=-s -w"),
        "vendored": ("-mod=vendor", "-trimpath", "-ldflags=-s -w"),
    }
    for name, flags in builds.items():
        go(tmp_path, "build", *flags, "-o", str(tmp_path / "bin" / name), ".")
    inside = program.carried and program.linked
    for name in builds:
        _, said = scanned(tmp_path / "bin" / name)
        assert (program.leak in ids(said, "carried")) is inside, name
        assert (program.leak in ids(said, "unlinked")) is (program.carried and not program.linked), name
        if inside:
            row = ids(said, "carried")[program.leak]
            assert (row["found"], row["linked"], row["certain"]) == (program.version, True, True)
    code, said = scanned(tmp_path / "vendor" / "modules.txt")
    assert (program.leak in ids(said, "carried")) is inside
    for given in (tmp_path, tmp_path / "go.mod"):  # with the vendored list beside it
        code, said = scanned(given)
        assert (program.leak in ids(said, "carried")) is inside
        assert code == (1 if any(row["mendable"] for row in said["carried"]) else 0)
    (tmp_path / "vendor" / "modules.txt").rename(tmp_path / "modules.old")
    _, said = scanned(tmp_path / "go.mod")  # which packages are used it does not say
    assert (program.leak in ids(said, "carried")) is program.carried
    shutil.rmtree(tmp_path / "vendor")
    shutil.rmtree(tmp_path / "bin")
    monkeypatch.setenv("PATH", f"{Path(need_go()).parent}{os.pathsep}{os.environ['PATH']}")
    _, said = scanned(tmp_path)  # Go tells which packages the tree is built from
    assert (program.leak in ids(said, "carried")) is inside
    assert (program.leak in ids(said, "unlinked")) is (program.carried and not program.linked)
