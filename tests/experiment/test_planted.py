"""A checkout that wants its programs run: none of them is, nothing outside of it is read or written, and it is said so.

Each plant is one way by which a tree, or a setting that it hopes for, starts a program while Go reads or builds it.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from support import ROOT, Answer, need_tool
from toolchain import need_go

live = pytest.mark.live

MAIN = """package main

import (
	"fmt"
	"time"

	"example.com/dep"
)

type offer struct{ price int }

func ask() int {
	offers := make(chan offer)
	go func() {
		time.Sleep(time.Millisecond)
		offers <- offer{dep.Price()}
	}()
	select {
	case one := <-offers:
		return one.price
	case <-time.After(time.Microsecond):
		return 0
	}
}

func main() {
	for {
		fmt.Printf("%d", "vet complains of this, so that build is asked too", ask())
	}
}
"""
GO_MOD = """module example.com/trial

go 1.19

require example.com/dep v1.0.0

replace example.com/dep => ./dep
"""
DEP = "package dep\n\nfunc Price() int { return 1 }\n"
RUNS_ON = 'exec "$@"'
STUCK = """goroutine {number} [chan send, 9 minutes]:
main.ask.func1()
\t/src/trial/main.go:16 +0x1d
created by main.ask in goroutine 1
\t/src/trial/main.go:14 +0x2f

"""


@dataclass
class Trial:
    """A checkout below `root`, evidence of its leak beside it, and the environment of whoever looks at it."""

    root: Path
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.checkout, self.outside, self.home = (self.root / name for name in ("checkout", "outside", "home"))
        for folder in (self.checkout / "dep", self.outside, self.home, self.root / "evidence"):
            folder.mkdir(parents=True)
        self.write("main.go", MAIN)
        self.write("go.mod", GO_MOD)
        self.write("dep/dep.go", DEP)
        self.write("dep/go.mod", "module example.com/dep\n\ngo 1.19\n")
        for name, count in (("1.txt", 2), ("2.txt", 60)):
            dump = "".join(STUCK.format(number=number) for number in range(5, 5 + count))
            (self.root / "evidence" / name).write_text(dump)
        caches = {
            name: subprocess.run([need_go(), "env", name], capture_output=True, text=True, check=True).stdout.strip()
            for name in ("GOCACHE", "GOMODCACHE")
        }
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GO", "GIT"))}
        path = os.pathsep.join((str(need_go().parent), os.environ["PATH"]))
        self.env = {**kept, **caches, "HOME": str(self.home), "PATH": path}

    def write(self, name: str, text: str) -> Path:
        file = self.checkout / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def program(self, name: str, rest: str = "exit 1") -> Path:
        """Return a program in the checkout that leaves a mark when it runs."""
        file = self.write(name, f"#!/bin/sh\necho {name} >> {self.root}/ran\n{rest}\n")
        file.chmod(0o755)
        return file

    def git(self, *words: str) -> None:
        quiet = {**self.env, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        git = [need_tool("git", "git"), "-c", "user.name=a", "-c", "user.email=a@example.com", *words]
        subprocess.run(git, cwd=self.checkout, env=quiet, capture_output=True, check=True, timeout=60)

    def commit(self) -> None:
        """Make the checkout a git repository, whose index is older than its files: git looks at them again."""
        self.git("init", "-q")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "all")
        for file in self.checkout.rglob("*.go"):
            os.utime(file, (2e9, 2e9))

    def files(self) -> dict[Path, bytes]:
        """Return what lies in the checkout and beside it; git's index may be read, and is not written either."""
        every = [*self.checkout.rglob("*"), *self.outside.rglob("*")]
        return {file: file.read_bytes() for file in every if file.is_file()}

    def ran(self) -> list[str]:
        file = self.root / "ran"
        return sorted(set(file.read_text().split())) if file.exists() else []

    def oakum(self, *words: str) -> Answer:
        """Run the command in the checkout, as people do who look at it."""
        program = Path(sys.executable).with_name("oakum")
        done = subprocess.run(
            [program, *words], cwd=self.checkout, env=self.env, capture_output=True, text=True, timeout=100, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        return Answer(done.returncode, done.stdout, done.stderr)


def fsmonitor(trial: Trial) -> None:
    trial.commit()
    trial.git("config", "core.fsmonitor", str(trial.program("watch.sh")))


def git_filter(trial: Trial) -> None:
    trial.write(".gitattributes", "*.go filter=own\n")
    trial.commit()
    trial.git("config", "filter.own.clean", str(trial.program("clean.sh", "cat")))


def git_hooks(trial: Trial) -> None:
    trial.commit()
    for name in ("post-index-change", "post-checkout", "pre-commit", "reference-transaction"):
        trial.program(f".git/hooks/{name}", "exit 0")


def hooks_elsewhere(trial: Trial) -> None:
    trial.commit()
    trial.program("hooks/post-index-change", "exit 0")
    trial.git("config", "core.hooksPath", str(trial.checkout / "hooks"))


def toolexec_of_the_environment(trial: Trial) -> None:
    trial.env["GOFLAGS"] = f"-toolexec={trial.program('tool.sh', RUNS_ON)}"


def toolexec_of_go_env(trial: Trial) -> None:
    file = trial.home / ".config" / "go" / "env"
    file.parent.mkdir(parents=True)
    file.write_text(f"GOFLAGS=-toolexec={trial.program('tool.sh', RUNS_ON)}\n")


def cache_program(trial: Trial) -> None:
    trial.env["GOCACHEPROG"] = str(trial.program("cache.sh"))


def go_work(trial: Trial) -> None:
    (trial.outside / "go.mod").write_text("module example.com/outside\n\ngo 1.19\n")
    (trial.outside / "outside.go").write_text("package outside\n")
    trial.write("go.work", "go 1.19\n\nuse (\n\t.\n\t../outside\n)\n")


def toolchain_line(trial: Trial) -> None:
    name = "go1.99.1-own"
    trial.program(name)
    trial.env["PATH"] += f"{os.pathsep}{trial.checkout}"
    trial.env["GOTOOLCHAIN"] = "auto"
    trial.write("go.mod", GO_MOD.replace("go 1.19\n", f"go 1.21\n\ntoolchain {name}\n"))


def replace_outside(trial: Trial) -> None:
    shutil.copytree(trial.checkout / "dep", trial.outside / "dep")
    trial.write("go.mod", GO_MOD.replace("./dep", "../outside/dep"))


def linked_vendor(trial: Trial) -> None:
    inside = trial.outside / "example.com" / "dep"
    inside.mkdir(parents=True)
    (inside / "dep.go").write_text(DEP)
    (trial.outside / "modules.txt").write_text(
        "# example.com/dep v1.0.0 => ./dep\n## explicit; go 1.19\nexample.com/dep\n# example.com/dep => ./dep\n"
    )
    (trial.checkout / "vendor").symlink_to(trial.outside)


def cgo(trial: Trial) -> None:
    for name in ("gcc", "cc", "clang", "pkg-config"):
        trial.program(name)
    trial.env |= {"PATH": f".{os.pathsep}{trial.env['PATH']}", "CC": str(trial.checkout / "gcc"), "CGO_ENABLED": "1"}
    trial.env["PKG_CONFIG"] = str(trial.checkout / "pkg-config")
    trial.write("dep/dep.go", "package dep\n\n// #cgo pkg-config: own\n// #cgo CFLAGS: -I.\n// int price(void) { return 1; }\nimport \"C\"\n\nfunc Price() int { return int(C.price()) }\n")  # fmt: skip


def dot_on_the_path(trial: Trial) -> None:
    trial.commit()
    for name in ("go", "git", "dot", "journalctl"):
        trial.program(name)
    trial.env["PATH"] = f".{os.pathsep}{trial.env['PATH']}"


def nothing_on_the_path(trial: Trial) -> None:
    dot_on_the_path(trial)
    trial.env["PATH"] = trial.env["PATH"].removeprefix(".")


def checkout_on_the_path(trial: Trial) -> None:
    dot_on_the_path(trial)
    trial.env["PATH"] = f"{trial.checkout}{trial.env['PATH'].removeprefix('.')}"


def version_manager(trial: Trial) -> None:
    """As asdf does: its shim runs the Go that a file in the current folder names, `golang path:./tools`."""
    shims = trial.home / "shims"
    shims.mkdir()
    (shims / "go").write_text(
        '#!/bin/sh\n[ -f .tool-versions ] && exec "$(sed -n \'s/golang path://p\' .tool-versions)/bin/go" "$@"\n'
        f'exec {need_go()} "$@"\n'
    )
    (shims / "go").chmod(0o755)
    trial.env["PATH"] = f"{shims}{os.pathsep}{trial.env['PATH']}"
    trial.program("tools/bin/go")
    trial.write(".tool-versions", "golang path:./tools\n")


def python_modules(trial: Trial) -> None:
    """So many packages that several processes read them, which Python starts where the user stands."""
    for number in range(40):
        trial.write(f"p{number}/p.go", f"package p{number}\n")
    for name in ("signal", "multiprocessing", "pickle", "random"):
        trial.write(f"{name}.py", f"open({str(trial.root / 'ran')!r}, 'a').write('{name}.py\\n')\n")


@dataclass(frozen=True)
class Plant:
    """One way in: how it is planted, and what is said of it; "" when there is nothing to say."""

    into: Callable[[Trial], None]
    said: str
    compiles: bool = True  # the drafted fix is compiled all the same


PLANTS = [
    Plant(fsmonitor, ".git/config: core.fsmonitor would have git run a program or read other settings: git is not run here"),
    Plant(git_filter, ".git/config: filter.own.clean would have git run a program or read other settings: git is not run here"),
    Plant(git_hooks, ".git/hooks: post-index-change, reference-transaction: git is not run here, so no hook is"),
    Plant(hooks_elsewhere, "checkout/hooks: post-index-change: git is not run here, so no hook is"),
    Plant(toolexec_of_the_environment, "GOFLAGS has -toolexec: Go is called without it"),
    Plant(toolexec_of_go_env, "GOFLAGS has -toolexec: Go is called without it"),
    Plant(cache_program, "GOCACHEPROG names a program: Go is called without it"),
    Plant(go_work, "go.work: it uses ../outside, outside of {checkout}: Go is called without go.work"),
    Plant(toolchain_line, "go.mod: it asks for the toolchain go1.99.1-own, which is neither downloaded nor run: Go here is go1."),
    Plant(replace_outside, "go.mod: replace leads to ../outside/dep, outside of {checkout}: Go is not called for this module", False),
    Plant(linked_vendor, "vendor: a link to {outside}, outside of the checkout: it is not read, and Go is not called for this module", False),
    Plant(cgo, "dep has no Go files without cgo, which is not run: ", False),
    Plant(dot_on_the_path, "{checkout}: the PATH leads to go, git in the checkout or the current directory: not run"),
    Plant(nothing_on_the_path, "{checkout}: the PATH leads to go, git in the checkout or the current directory: not run"),
    Plant(checkout_on_the_path, "{checkout}: the PATH leads to go, git in the checkout or the current directory: not run"),
    Plant(version_manager, ""),
    Plant(python_modules, ""),
]  # fmt: skip
EVIDENCE = ("../evidence/1.txt", "../evidence/2.txt")


@live
@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.into.__name__)
def test_nothing_of_a_checkout_is_run(plant: Plant, tmp_path: Path) -> None:
    trial = Trial(tmp_path)
    plant.into(trial)
    before = trial.files()
    said = plant.said.format(checkout=trial.checkout, outside=trial.outside)
    scanned = trial.oakum("scan", ".")
    assert trial.ran() == []
    assert "abandoned-sender" in scanned.out, scanned.err
    assert said in scanned.err
    diagnosed = trial.oakum("diagnose", "--source", ".", *EVIDENCE)
    assert trial.ran() == []
    assert ("This draft compiles" in diagnosed.out) is plant.compiles, diagnosed.err
    assert said in diagnosed.err
    if not plant.said:
        assert (scanned.err, diagnosed.err) == ("", "")
    assert trial.files() == before


@live
@pytest.mark.parametrize("into", [fsmonitor, toolexec_of_go_env, dot_on_the_path], ids=lambda into: into.__name__)
def test_list_runs_nothing_of_a_checkout(into: Callable[[Trial], None], tmp_path: Path) -> None:
    trial = Trial(tmp_path)
    into(trial)
    before = trial.files()
    shown = trial.oakum("list", "--finding", "1", *EVIDENCE)
    assert "This draft compiles" in shown.out, shown.err
    assert "not run" in shown.err or "without it" in shown.err
    assert "offers <- offer" in trial.oakum("list", "ask", "-source_path", ".", "../evidence/2.txt").out
    assert trial.ran() == []
    assert trial.files() == before


@live
def test_an_honest_checkout_is_warned_of_nothing(tmp_path: Path) -> None:
    """Hooks that only a commit runs, git-lfs, a replace inside: what many repositories have."""
    trial = Trial(tmp_path)
    trial.commit()
    trial.program(".git/hooks/pre-commit", "exit 0")
    trial.git("config", "filter.lfs.clean", "git-lfs clean -- %f")
    trial.git("config", "core.fsmonitor", "true")
    scanned = trial.oakum("scan", "--known", ".")
    assert (scanned.code, scanned.err) == (0, "")
    diagnosed = trial.oakum("diagnose", "--source", ".", *EVIDENCE)
    assert diagnosed.err == ""
    assert "This draft compiles" in diagnosed.out


def test_only_one_module_starts_go_and_four_start_programs() -> None:
    """A new call has to go through them: what they refuse is refused everywhere."""
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "src" / "oakum").rglob("*.py")}
    starting = re.compile(r"\bimport subprocess|\bos\.(?:system|popen|exec\w+|spawn\w+|posix_spawn\w*)\(|shutil\.which")
    starters = {
        path.relative_to(ROOT / "src" / "oakum").as_posix() for path, text in texts.items() if starting.search(text)
    }
    assert starters == {"collect/programs.py", "cli/graph.py"}
    callers = {path.name for path, text in texts.items() if re.search(r"\brun_program\(", text)}
    # reproduce --exec, verify --test, --prove, the command of a mail channel
    asked_by_name = {"load.py", "go_tests.py", "prove.py", "mail.py"}
    ourselves = {"workers.py"}  # of oakum serve: reads uploads in a process that can be killed
    assert callers == {"programs.py", "call_go.py", "journal.py", "plugin.py"} | asked_by_name | ourselves
    runners = {path.name for path, text in texts.items() if re.search(r"\bStarted\(", text)}
    assert runners == {"program.py", "open_pages.py"}  # --start does; --open, the browser
