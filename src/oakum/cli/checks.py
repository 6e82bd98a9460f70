"""What this machine has of what oakum uses -> checks: each what was found, what its lack limits, and how to fix it.

Changes nothing, asks no network unless `online`, and waits two seconds at most for a program that it runs.
"""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from msgspec import Struct

State = Literal["ok", "limited", "missing"]
NEEDED = "To diagnose"  # the group that no diagnosis goes without

_PATIENCE = 2.0  # seconds for `go version`
_ONLINE_PATIENCE = 5.0  # seconds for an API server
_ROOM = 1 << 30  # bytes: some hundred snapshots of a large service
_NARROW = 60  # columns below which tables lose some
_PYTHON = (3, 11)
# Package, module, what goes without it; those with True are needed for any diagnosis.
_LIBRARIES = (
    ("numpy", "numpy", "nothing can be read or diagnosed", True),
    ("isal", "isal.isal_zlib", "gzipped captures cannot be read", True),
    ("tree-sitter", "tree_sitter", "no root cause from source, scan cannot analyse code", True),
    ("tree-sitter-go", "tree_sitter_go", "no root cause from source, scan cannot analyse code", True),
    ("httpcore", "httpcore", "running targets cannot be captured: http://, unix://, kube://", False),
    ("PyYAML", "yaml", "kube:// does not work: kubeconfigs cannot be read", False),
    ("websockets", "websockets", "port-forwarding to pods does not work", False),
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


class Check(Struct, frozen=True):
    state: State
    found: str
    costs: str = ""  # what does not work without it
    mend: str = ""  # a command, or what to do


def checks(online: bool) -> Iterator[tuple[str, dict[str, Check]]]:
    """Yield groups of checks by name, first what no diagnosis goes without."""
    groups: tuple[tuple[str, dict[str, Callable[[], Check]]], ...] = (
        (NEEDED, {"python": _python, "libraries": _libraries, "go grammar": _grammar, "trial": _trial}),
        (
            "Root cause in the source, drafted fixes",
            {"go": _go, "module cache": _modules, "standard library": _goroots},
        ),
        (
            "Running targets",
            {
                "processes": _processes,
                "permissions": _rights,
                "sockets": _sockets,
                "journal": _journal,
                "kubernetes": lambda: _cluster(online),
            },
        ),
        ("Output", {"dot": _graphviz, "disk": _disk, "terminal": _terminal, "clock": _clock}),
    )
    for title, asked in groups:
        yield title, {name: _safely(check) for name, check in asked.items()}


def _safely(check: Callable[[], Check]) -> Check:
    try:
        return check()
    except Exception as error:  # a broken library breaks what uses it, and the rest is still worth telling
        said = f"check failed: {type(error).__name__}: {error}"
        return Check("missing", said, "it may not work", "fix the other checks first, then run oakum doctor again")


def _python() -> Check:
    found = f"{sys.version_info[0]}.{sys.version_info[1]}.{sys.version_info[2]}, {sys.executable}"
    if sys.version_info[:2] < _PYTHON:
        return Check("missing", found, "oakum needs Python 3.11 or later", "install Python 3.11")
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
        return Check("missing", "a line of Go could not be parsed", "no root cause from source", _REPAIR)  # fmt: skip
    return Check("ok", "Go source can be parsed")


def _trial() -> Check:
    """Diagnose twelve goroutines that nobody receives from: reading, comparing, judging, all of it."""
    begun = time.perf_counter()
    from oakum.diagnose import diagnose
    from oakum.model import Capture, Case, Process, Snapshot, Source
    from oakum.parse import parse

    snapshots = []
    for label, count in (("before", 1), ("after", 12)):
        capture = Capture(label, b"".join(_STUCK % number for number in range(2, 2 + count)))
        (reading,) = parse(capture)
        snapshots.append(Snapshot(label, goroutines=reading.goroutines,
                                sources={"goroutines": Source(label, capture.digest, reading.format)}))  # fmt: skip
    findings = diagnose(Case((Process("p1", "trial", tuple(snapshots)),))).findings
    took = time.perf_counter() - begun
    if not any(site.frame.function == "main.ask" for finding in findings for site in finding.suspect.sites):
        return Check("missing", "the test leak was not found", "diagnoses made here cannot be trusted",
                     _REPAIR)  # fmt: skip
    return Check("ok", f"test leak found in {took:.1f} s")


def _go() -> Check:
    from oakum.experiment.call_go import call_go, find_go

    costs = "drafted fixes are not compiled, --fetch-source does not work"
    mend = "install Go (https://go.dev/dl, apt-get install golang-go, brew install go), and add it to the PATH"
    program = find_go()
    if program is None:
        return Check("missing", "no go on the PATH", costs, mend)
    try:
        with tempfile.TemporaryDirectory(prefix="oakum-") as empty:
            ran = call_go(["version"], Path(empty), _PATIENCE)
    except OSError as error:
        return Check("limited", f"{program} cannot be run: {error.strerror or error}", costs, mend)
    if ran.late:
        return Check("limited", f"{program} did not print its version within {_PATIENCE:g} s", costs, mend)
    told = ran.out.decode("utf-8", "replace").strip()
    if ran.code or not told.startswith("go version"):
        return Check("limited", f"{program} does not work: exit code {ran.code}", costs, mend)
    return Check("ok", f"{told.removeprefix('go version ')}, {program}")


def _modules() -> Check:
    from oakum.collect.code.go_places import module_caches

    places = module_caches(os.environ)
    there = [str(place) for place in places if place.is_dir() and os.access(place, os.R_OK | os.X_OK)]
    if there:
        return Check("ok", ", ".join(there))
    return Check("missing", f"looked at {', '.join(map(str, places)) or 'nothing: HOME is not set'}",
                 "no root cause in dependencies, unless they are vendored",
                 "run go mod download in the checkout, or diagnose with --fetch-source")  # fmt: skip


def _goroots() -> Check:
    from oakum.collect.code.go_places import go_installs, module_caches

    installs = go_installs(os.environ, module_caches(os.environ))
    if installs:
        return Check("ok", ", ".join(f"{one.version} in {one.root}" for one in installs[:4])
                     + (f" and {len(installs) - 4} more" if len(installs) > 4 else ""))  # fmt: skip
    return Check("missing", "no Go was found in the usual places",
                 "stacks cannot be followed into net/http, database/sql ...",
                 "install the Go version the program is built with, or set GOROOT")  # fmt: skip


def _processes() -> Check:
    from oakum.collect.process import running

    try:
        programs = [*running.programs()]
    except FileNotFoundError:
        return Check("missing", "no /proc on this system", "pid:, shim: and oakum find do not work",
                     "run oakum on the Linux host itself, or use http://HOST:PORT")  # fmt: skip
    hidden = sum(program is None for program in programs)
    if not hidden:
        return Check("ok", f"all {len(programs):,} processes are readable")
    mend = (
        "sudo oakum find"
        if os.geteuid()
        else "run oakum on the host: this is a container, or its root is not the host's"
    )
    return Check("limited", f"{hidden:,} of {len(programs):,} processes are not readable by this user",
                 "oakum find does not list them, and pid: captures less of them", mend)  # fmt: skip


def _rights() -> Check:
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except FileNotFoundError:
        return Check("ok", "not needed: there is no /proc on this system")
    effective = next((int(line.split()[1], 16) for line in status.splitlines() if line.startswith("CapEff:")), 0)
    lacking = [name for name, bit in _CAPABILITIES.items() if not effective >> bit & 1]
    if not lacking:
        return Check("ok", "every process and its network namespace can be entered")
    costs = []
    if "CAP_SYS_PTRACE" in lacking:
        costs.append("sockets and build info of other users' processes are not readable")
    if "CAP_SYS_ADMIN" in lacking:
        costs.append("pid: does not reach pprof inside a container")
    return Check("limited", f"without {' and '.join(lacking)}", "; ".join(costs),
                 "run oakum as root, in a container with --privileged --pid=host")  # fmt: skip


def _sockets() -> Check:
    there = [path for path in _SOCKETS if Path(path).exists()]
    closed = [path for path in there if not os.access(path, os.R_OK | os.W_OK)]
    if closed:
        return Check("limited", f"{', '.join(closed)}: permission denied",
                     "unix:// cannot capture containerd or docker themselves", "sudo oakum ...")  # fmt: skip
    return Check("ok", ", ".join(there) or "none: neither containerd nor docker is running")


def _journal() -> Check:
    from oakum.collect.programs import find_program

    costs = "journal:UNIT does not work; dumps of containerd shims are searched in log files only"
    if not find_program("journalctl"):
        return Check("missing", "no journalctl on the PATH", costs, "pass the log file as EVIDENCE")
    folders = [Path(name) for name in _JOURNALS if Path(name).is_dir()]
    files = [file for folder in folders for file in folder.glob("*/system*.journal")]
    if not folders:
        return Check("missing", "journalctl is installed, but there is no journal", costs,
                     "pass the log file as EVIDENCE")  # fmt: skip
    if not all(os.access(place, os.R_OK) for place in [*folders, *files]):
        return Check("limited", "the system journal is not readable by this user", costs,
                     "sudo usermod -aG systemd-journal $USER, and log in again")  # fmt: skip
    return Check("ok", ", ".join(map(str, folders)))


def _cluster(online: bool) -> Check:
    from oakum.cli.live import bare
    from oakum.collect.kubernetes import kubeconfig
    from oakum.collect.web.access import Access
    from oakum.model.errors import OakumError

    costs = "kube:// targets do not work (kubectl is not needed)"
    try:
        login = kubeconfig.find(Access())
    except OakumError as error:
        return Check("missing", str(error), costs, "export KUBECONFIG=FILE, or --kubeconfig FILE")
    found = f"{login.source}, {bare(login.cluster.server)}"
    if not online:
        return Check("ok", f"{found} (not contacted; --online does)")
    from oakum.collect.kubernetes.api import Api
    from oakum.report.words.lines import error_line

    try:
        told = Api(login, Access()).get("/version", seconds=_ONLINE_PATIENCE)
    except OakumError as error:
        return Check("limited", f"{login.source}: {error_line(error)}", costs, "check with: kubectl version")
    return Check("ok", f"{found} answers: {told.get('gitVersion', 'no version')}")


def _graphviz() -> Check:
    from oakum.collect.programs import find_program

    if program := find_program("dot"):
        return Check("ok", program)
    return Check("missing", "no dot on the PATH", "oakum graph writes DOT only, no SVG, PNG or PDF",
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
        found = f"{size(free)} free for captures, in {place}"
        if free >= _ROOM:
            return Check("ok", found)
        return Check("limited", found, "captures of large services may not fit",
                     "export PPROF_TMPDIR=DIR on a larger disk, or oakum capture -o DIR")  # fmt: skip
    return Check("missing", "no writable directory for captures", "running targets cannot be captured or diagnosed",
                 "export PPROF_TMPDIR=DIR with a writable directory")  # fmt: skip


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
                     "wrong timestamps, certificates look invalid", "timedatectl set-ntp true")  # fmt: skip
    return Check("ok", told)
