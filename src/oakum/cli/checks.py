"""What this machine has of what oakum uses -> checks: each what was found, what its lack costs, and what mends it.

Changes nothing, asks no network unless `online`, and waits two seconds at most for a program that it runs.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

State = Literal["ok", "limited", "missing"]
NEEDED = "To diagnose"  # the group that no diagnosis goes without

_PATIENCE = 2.0  # seconds for `go version`
_ONLINE_PATIENCE = 5.0  # seconds for an API server
_ROOM = 1 << 30  # bytes: some hundred moments of a large service
_NARROW = 60  # columns below which tables lose some
_PYTHON = (3, 11)
# Package, module, what goes without it; those with True are needed for any diagnosis.
_LIBRARIES = (
    ("numpy", "numpy", "nothing can be read or diagnosed", True),
    ("isal", "isal.isal_zlib", "nothing that is gzipped can be read", True),
    ("tree-sitter", "tree_sitter", "no cause is read in source, scan reads no code", True),
    ("tree-sitter-go", "tree_sitter_go", "no cause is read in source, scan reads no code", True),
    ("httpcore", "httpcore", "nothing that runs can be asked: http://, unix://, kube://", False),
    ("PyYAML", "yaml", "kubeconfigs cannot be read: kube:// does not work", False),
    ("websockets", "websockets", "ports of pods cannot be forwarded", False),
    ("Jinja2", "jinja2", "no HTML reports", False),
)
_SOCKETS = ("/run/containerd/debug.sock", "/run/containerd/containerd.sock", "/run/docker.sock", "/run/crio/crio.sock")
_JOURNALS = ("/run/log/journal", "/var/log/journal")
_CAPABILITIES = {"CAP_SYS_PTRACE": 19, "CAP_SYS_ADMIN": 21}
_REPAIR = "python -m pip install --force-reinstall oakum"

_STUCK = b"""\
goroutine %d [chan send, 9 minutes]:
main.ask(0xc000010000)
\t/src/trial/main.go:12 +0x1d
created by main.main in goroutine 1
\t/src/trial/main.go:20 +0x2f

"""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked for."""

    state: State
    found: str
    costs: str = ""  # what does not work for the lack of it
    mend: str = ""  # a command, or what to do


def checks(online: bool) -> Iterator[tuple[str, dict[str, Check]]]:
    """Yield groups of checks by name, first what no diagnosis goes without."""
    groups: tuple[tuple[str, dict[str, Callable[[], Check]]], ...] = (
        (NEEDED, {"python": _python, "libraries": _libraries, "go grammar": _grammar, "trial": _trial}),
        (
            "The cause in the source, and a fix that compiles",
            {"go": _go, "module cache": _modules, "standard library": _goroots},
        ),
        (
            "Targets that run",
            {
                "processes": _processes,
                "rights": _rights,
                "sockets": _sockets,
                "journal": _journal,
                "kubernetes": lambda: _cluster(online),
            },
        ),
        ("What is written", {"dot": _graphviz, "disk": _disk, "terminal": _terminal, "clock": _clock}),
    )
    for title, asked in groups:
        yield title, {name: _safely(check) for name, check in asked.items()}


def _safely(check: Callable[[], Check]) -> Check:
    try:
        return check()
    except Exception as error:  # a broken library breaks what uses it, and the rest is still worth telling
        said = f"could not be looked at: {type(error).__name__}: {error}"
        return Check("missing", said, "whether it works is not known", "mend what else is missing, and look again")


def _python() -> Check:
    found = f"{sys.version_info[0]}.{sys.version_info[1]}.{sys.version_info[2]}, {sys.executable}"
    if sys.version_info[:2] < _PYTHON:
        return Check("missing", found, "oakum is written for 3.11 and later", "install Python 3.11")
    return Check("ok", found)


def _libraries() -> Check:
    """Load every library: a wheel for another machine is found only then."""
    loaded: list[str] = []
    broken: list[tuple[str, str, bool]] = []
    for package, module, costs, needed in _LIBRARIES:
        try:
            import_module(module)
            loaded.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            loaded.append(package)
        except Exception as error:  # a library for another machine raises whatever it likes
            broken.append((f"{package}: {str(error).strip().partition(chr(10))[0] or type(error).__name__}",
                           costs, needed))  # fmt: skip
    if not broken:
        return Check("ok", ", ".join(loaded))
    told = "; ".join(what for what, _, _ in broken)
    costs = "; ".join(dict.fromkeys(lost for _, lost, _ in broken))
    return Check("missing" if any(needed for _, _, needed in broken) else "limited", told, costs, _REPAIR)


def _grammar() -> Check:
    import tree_sitter_go
    from tree_sitter import Language, Parser

    tree = Parser(Language(tree_sitter_go.language())).parse(b"package a\n\nfunc f(c chan int) { c <- 1 }\n")
    if tree.root_node.has_error or "send_statement" not in str(tree.root_node):
        return Check("missing", "a line of Go was not understood", "no cause is read in source", _REPAIR)  # fmt: skip
    return Check("ok", "a line of Go is understood")


def _trial() -> Check:
    """Diagnose twelve goroutines that nobody receives from: reading, comparing, judging, all of it."""
    begun = time.perf_counter()
    from oakum.diagnose import diagnose
    from oakum.model import Capture, Case, Process, Snapshot, Source
    from oakum.parse import parse

    moments = []
    for label, count in (("before", 1), ("after", 12)):
        capture = Capture(label, b"".join(_STUCK % number for number in range(2, 2 + count)))
        (reading,) = parse(capture)
        moments.append(Snapshot(label, goroutines=reading.goroutines,
                                sources={"goroutines": Source(label, capture.digest, reading.format)}))  # fmt: skip
    findings = diagnose(Case((Process("p1", "trial", tuple(moments)),))).findings
    took = time.perf_counter() - begun
    if not any(site.frame.function == "main.ask" for finding in findings for site in finding.suspect.sites):
        return Check("missing", "a small leak was not found", "what diagnose says here cannot be trusted",
                     _REPAIR)  # fmt: skip
    return Check("ok", f"a small leak was found, in {took:.1f} s")


def _go() -> Check:
    costs = "drafted fixes are not compiled, --fetch-source does not work, nothing can be reproduced with a program"
    mend = "install Go (https://go.dev/dl, apt-get install golang-go, brew install go), and have it on the PATH"
    program = shutil.which("go")
    if program is None:
        return Check("missing", "no go on the PATH", costs, mend)
    try:
        # Where a go.mod asks for a later Go, `go version` would download it.
        done = subprocess.run([program, "version"], capture_output=True, timeout=_PATIENCE, cwd="/", check=False,
                              stdin=subprocess.DEVNULL, env={**os.environ, "GOTOOLCHAIN": "local"})  # fmt: skip
    except subprocess.TimeoutExpired:
        return Check("limited", f"{program} did not tell its version in {_PATIENCE:g} s", costs, mend)
    except OSError as error:
        return Check("limited", f"{program} cannot be run: {error.strerror or error}", costs, mend)
    told = done.stdout.decode("utf-8", "replace").strip()
    if done.returncode or not told.startswith("go version"):
        return Check("limited", f"{program} does not work: exit code {done.returncode}", costs, mend)
    return Check("ok", f"{told.removeprefix('go version ')}, {program}")


def _modules() -> Check:
    from oakum.collect.code.go_places import module_caches

    places = module_caches(os.environ)
    there = [str(place) for place in places if place.is_dir() and os.access(place, os.R_OK | os.X_OK)]
    if there:
        return Check("ok", ", ".join(there))
    return Check("missing", f"looked at {', '.join(map(str, places)) or 'nothing: HOME is not set'}",
                 "no cause is read in the program's dependencies, unless they are vendored",
                 "go mod download, in the program's checkout; or --fetch-source when you diagnose")  # fmt: skip


def _goroots() -> Check:
    from oakum.collect.code.go_places import go_installs, module_caches

    installs = go_installs(os.environ, module_caches(os.environ))
    if installs:
        return Check("ok", ", ".join(f"{one.version} in {one.root}" for one in installs[:4])
                     + (f" and {len(installs) - 4} more" if len(installs) > 4 else ""))  # fmt: skip
    return Check("missing", "no Go was found in the usual places",
                 "stacks are not followed into net/http, database/sql ...",
                 "install the Go that the program is built with, or let GOROOT name it")  # fmt: skip


def _processes() -> Check:
    from oakum.collect.process import running

    try:
        programs = [*running.programs()]
    except FileNotFoundError:
        return Check("missing", "no /proc on this system", "pid:, shim: and oakum find do not work",
                     "run oakum on the Linux machine itself, or name http://HOST:PORT")  # fmt: skip
    hidden = sum(program is None for program in programs)
    if not hidden:
        return Check("ok", f"all {len(programs):,} processes can be looked at")
    mend = (
        "sudo oakum find"
        if os.geteuid()
        else "run oakum on the host: this is a container, or its root is not the host's"
    )
    return Check("limited", f"{hidden:,} of {len(programs):,} processes are hidden from this user",
                 "oakum find does not see them, and pid: takes less of them", mend)  # fmt: skip


def _rights() -> Check:
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except FileNotFoundError:
        return Check("ok", "of no account here: processes of this system are not looked at")
    effective = next((int(line.split()[1], 16) for line in status.splitlines() if line.startswith("CapEff:")), 0)
    lacking = [name for name, bit in _CAPABILITIES.items() if not effective >> bit & 1]
    if not lacking:
        return Check("ok", "every process, and its network namespace, may be entered")
    costs = []
    if "CAP_SYS_PTRACE" in lacking:
        costs.append("of other users' processes neither sockets nor builds are seen")
    if "CAP_SYS_ADMIN" in lacking:
        costs.append("pprof that listens inside a container is not reached by pid:")
    return Check("limited", f"without {' and '.join(lacking)}", "; ".join(costs),
                 "run oakum as root, in a container with --privileged --pid=host")  # fmt: skip


def _sockets() -> Check:
    there = [path for path in _SOCKETS if Path(path).exists()]
    closed = [path for path in there if not os.access(path, os.R_OK | os.W_OK)]
    if closed:
        return Check("limited", f"{', '.join(closed)}: permission denied",
                     "unix:// cannot ask containerd or docker for their own profiles", "sudo oakum ...")  # fmt: skip
    return Check("ok", ", ".join(there) or "none here: neither containerd nor docker runs")


def _journal() -> Check:
    costs = "journal:UNIT does not work, and dumps of containerd's shims are looked for in log files alone"
    if not shutil.which("journalctl"):
        return Check("missing", "no journalctl on the PATH", costs, "name the log file itself as EVIDENCE")
    folders = [Path(name) for name in _JOURNALS if Path(name).is_dir()]
    files = [file for folder in folders for file in folder.glob("*/system*.journal")]
    if not folders:
        return Check("missing", "journalctl is here, a journal is not", costs,
                     "name the log file itself as EVIDENCE")  # fmt: skip
    if not all(os.access(place, os.R_OK) for place in [*folders, *files]):
        return Check("limited", "the system's journal is closed to this user", costs,
                     "sudo usermod -aG systemd-journal $USER, and log in again")  # fmt: skip
    return Check("ok", ", ".join(map(str, folders)))


def _cluster(online: bool) -> Check:
    from oakum.cli.live import bare
    from oakum.collect.kubernetes import kubeconfig
    from oakum.collect.web.access import Access
    from oakum.model.errors import OakumError

    costs = "kube:// targets do not work (kubectl itself is not needed)"
    try:
        login = kubeconfig.find(Access())
    except OakumError as error:
        return Check("missing", str(error), costs, "export KUBECONFIG=FILE, or --kubeconfig FILE")
    found = f"{login.source}, {bare(login.cluster.server)}"
    if not online:
        return Check("ok", f"{found} (not asked: --online does)")
    from oakum.collect.kubernetes.api import Api

    try:
        told = Api(login, Access()).get("/version", seconds=_ONLINE_PATIENCE)
    except OakumError as error:
        return Check("limited", f"{login.source}: {error}", costs, "kubectl version asks the same way")
    return Check("ok", f"{found} answers: {told.get('gitVersion', 'no version')}")


def _graphviz() -> Check:
    if program := shutil.which("dot"):
        return Check("ok", program)
    return Check("missing", "no dot on the PATH", "oakum graph writes DOT alone, no SVG, PNG or PDF",
                 "apt-get install graphviz (dnf, brew likewise)")  # fmt: skip


def _disk() -> Check:
    """Look where what is fetched would be kept, without making the folder."""
    from oakum.model.sizes import size

    named = [os.environ.get("PPROF_TMPDIR", ""), f"{os.environ['HOME']}/pprof" if os.environ.get("HOME") else ""]
    for name in [*filter(None, named), tempfile.gettempdir()]:
        place = Path(name)
        there = next(folder for folder in (place.absolute(), *place.absolute().parents) if folder.exists())
        if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
            continue
        free = shutil.disk_usage(there).free
        found = f"{size(free)} free for what is fetched, in {place}"
        if free >= _ROOM:
            return Check("ok", found)
        return Check("limited", found, "captures of large services may not fit",
                     "export PPROF_TMPDIR=FOLDER on a larger disk; oakum capture -o FOLDER")  # fmt: skip
    return Check("missing", "nowhere to keep what is fetched", "what runs cannot be diagnosed or captured",
                 "export PPROF_TMPDIR=FOLDER that may be written")  # fmt: skip


def _terminal() -> Check:
    from oakum.cli.outputs import language
    from oakum.cli.screen import colourful, width

    columns, encoding = width(), (sys.stdout.encoding or "ascii").lower()
    spoken = {"zh": "Chinese", "en": "English"}[language()]
    shown = "colours" if colourful() else "no colours"
    found = (
        f"{f'{columns} columns' if columns else 'no terminal: full width'}, {shown}, {encoding}, reports in {spoken}"
    )
    if encoding.replace("-", "") != "utf8":
        return Check("limited", found, "arrows and bars are drawn in ASCII, Chinese as escapes",
                     "export LANG=C.UTF-8")  # fmt: skip
    if columns and columns < _NARROW:
        return Check("limited", found, "names are shortened, tables lose columns", "a wider window, or | less -S")
    return Check("ok", found)


def _clock() -> Check:
    """Tell a clock that is wrong by these files, which were written before now; more is not known without asking."""
    now, written = time.time(), Path(__file__).stat().st_mtime
    told = time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(now))
    if now < written - 86_400:
        return Check("limited", f"{told}, which is before oakum was installed",
                     "captures get wrong times, certificates seem invalid", "timedatectl set-ntp true")  # fmt: skip
    return Check("ok", told)


__all__ = ["NEEDED", "Check", "checks"]
