"""Case -> executables: as they are built for a recording, with paths that everybody's builds have, or for a live run.

Recordings are built in /srv/<service>, with modules in /go/pkg/mod, as in Go's own container image; our own modules are
served as a module proxy would, so that their frames carry a version. Live runs are built where they stand, -trimpath.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from casebook.runner.case import MODULES, Build, Case, Take
from casebook.runner.staging import StagingFailed, escaped, provide, required
from casebook.runner.tools import toolchain

YARDS = Path("/srv")
GO_PATH = Path("/go")
# What lies in a case's folder and is no source.
_NOT_SOURCE = ("captures", "__pycache__", "scenario.py", "case.toml", "expect.toml")
# replace example.org/tide/kit => ../modules/kit
_LOCAL = re.compile(r"^(?:replace\s+)?\s*(\S+)(?:\s+v\S+)?\s*=>\s*(\.\./modules/\S+)\s*$")
BUILD_SECONDS = 1800
# For live runs, which no debugger looks at: without tables for one, linking takes half the time. Stacks are the same.
UNDEBUGGED = "-ldflags=-w"
T = TypeVar("T")
# What could not be downloaded, three times over, is not tried again for the next build that needs it.
_unavailable: dict[str, toolchain.DownloadFailed] = {}


class BuildFailed(Exception):
    """A program of the casebook does not build; the message is the compiler's."""


def local_modules(modfile: Path) -> dict[str, tuple[str, Path]]:
    """Return our own modules that a go.mod replaces by a folder: path -> (version, folder)."""
    lines = modfile.read_text().splitlines()
    versions = required(modfile)
    return {
        found[1]: (versions[found[1]], MODULES / Path(found[2]).name) for line in lines if (found := _LOCAL.match(line))
    }


def published(modfile: Path) -> str:
    """Return a go.mod as its users see it: our own modules come by version, not from a folder."""
    return "".join(line for line in modfile.read_text().splitlines(keepends=True) if not _LOCAL.match(line))


def _serve(proxy: Path, module: str, version: str, source: Path) -> None:
    """Write one of our modules as a module proxy serves it."""
    folder = proxy / escaped(module) / "@v"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "list").write_text(f"{version}\n")
    (folder / f"{version}.info").write_text(json.dumps({"Version": version, "Time": "2024-01-02T03:04:05Z"}))
    # What it needs of our own it finds beside it in the same proxy.
    text = published(source / "go.mod")
    (folder / f"{version}.mod").write_text(text)
    with zipfile.ZipFile(folder / f"{version}.zip", "w") as packed:
        for path in sorted(source.rglob("*")):
            if path.is_file() and path.name != "go.mod":
                packed.write(path, f"{module}@{version}/{path.relative_to(source)}")
        packed.writestr(f"{module}@{version}/go.mod", text)


def needed_modules(modfile: Path) -> dict[str, tuple[str, Path]]:
    """Return our own modules that a go.mod needs, those that they need among them."""
    found = local_modules(modfile)
    for _, folder in [*found.values()]:
        for module, (version, at) in local_modules(folder / "go.mod").items():
            found.setdefault(module, (version, at))
    return found


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold a lock, alone on this machine; whoever held it and died holds it no more."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _forget(module: str, version: str) -> None:
    """Remove one of our modules from the module cache, since it may have changed under the same version."""
    cache = GO_PATH / "pkg" / "mod"
    for path in (cache / f"{escaped(module)}@{version}", cache / "cache" / "download" / escaped(module)):
        if path.exists():
            subprocess.run(["chmod", "-R", "u+w", path], check=True)
            shutil.rmtree(path)


def _compile(command: list[str], folder: Path, env: Mapping[str, str]) -> None:
    try:
        done = subprocess.run(
            command, cwd=folder, env=dict(env), capture_output=True, text=True, timeout=BUILD_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise BuildFailed(f"{' '.join(command)}: took more than {BUILD_SECONDS} s") from None
    if done.returncode:
        raise BuildFailed(f"{' '.join(command)} in {folder}:\n{done.stderr.strip()[-4000:]}")


def _modfile(build: Build) -> list[str]:
    return [] if build.modfile == "go.mod" else [f"-modfile={build.modfile}"]


def program_name(case: Case, package: str) -> str:
    """Return the name of the program built from a package of the case."""
    return case.service if package == "." else Path(package).name


def copy_sources(case: Case, folder: Path) -> None:
    """Copy what the programs of a case are built from, and nothing that says what is true of it."""
    for path in case.folder.iterdir():
        if path.name in _NOT_SOURCE:
            continue
        if path.is_dir():
            shutil.copytree(path, folder / path.name)
        else:
            shutil.copy(path, folder / path.name)


@contextmanager
def yard(case: Case) -> Iterator[Path]:
    """Lend /srv/<service> with the sources of the case in it, and remove it afterwards.

    What a killed recording left there is removed; what somebody else keeps there, or a running recording, is not.
    """
    home = YARDS / case.service
    mark = home / ".casebook"
    try:
        if mark.exists():
            with mark.open() as left, suppress(BlockingIOError):
                fcntl.flock(left, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(home)
        home.mkdir()
    except FileExistsError:
        raise BuildFailed(
            f"{home} exists: it is made here and removed afterwards; is another recording running?"
        ) from None
    except OSError as error:
        raise BuildFailed(f"cannot make {home} ({error.strerror}): record as root, in a container") from None
    try:
        with _alone(mark):
            copy_sources(case, home)
            _provide_modules()
            yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _provide_modules() -> None:
    """Make /go/pkg/mod the module cache of this machine, where it has none."""
    mods = GO_PATH / "pkg" / "mod"
    if mods.exists():
        return
    mods.parent.mkdir(parents=True, exist_ok=True)
    told = subprocess.run(
        [toolchain.go(), "env", "GOMODCACHE"], env=toolchain.environment(), capture_output=True, text=True, check=True
    )
    real = Path(told.stdout.strip())
    real.mkdir(parents=True, exist_ok=True)
    mods.unlink(missing_ok=True)  # a link to a cache that is gone
    mods.symlink_to(real)


def for_recording(case: Case, take: Take, yard: Path, target: Path) -> tuple[dict[str, Path], bytes]:
    """Return the programs of a take, built in its yard into the target folder, and what `go version -m` says."""
    compiler = toolchain.go(take.go)
    modfile = yard / take.build.modfile
    ours = needed_modules(case.folder / take.build.modfile)
    modfile.write_text(published(modfile))
    proxy = yard / ".proxy"
    for module, (version, source) in ours.items():
        _serve(proxy, module, version, source)
    upstream = subprocess.run(
        [compiler, "env", "GOPROXY"], env=toolchain.environment(), capture_output=True, text=True, check=True
    ).stdout.strip()
    env = toolchain.environment() | {
        "GOPROXY": f"file://{proxy},{upstream}" if ours else upstream, "GONOSUMDB": "example.org/*",
        "GOFLAGS": "-mod=mod -buildvcs=false", "GOMODCACHE": str(GO_PATH / "pkg" / "mod"), "CGO_ENABLED": "0",
        "GODEBUG": "goindex=0",  # the index of our own modules may be one of older sources
    }  # fmt: skip
    flags = _modfile(take.build)
    programs = {}
    _stage(case, case.folder / take.build.modfile, compiler, env)
    # Our own modules are replaced in the one module cache while a program is built.
    with _alone(GO_PATH / ".casebook.lock" if ours else yard / ".lock"):
        for module, (version, _) in ours.items():
            _forget(module, version)
        if take.paths == "vendor":
            _compile([str(compiler), "mod", "vendor", *flags], yard, env)
            env["GOFLAGS"] = "-mod=vendor -buildvcs=false"
        if take.paths == "trimpath":
            flags.append("-trimpath")
        for package in case.packages:
            program = target / program_name(case, package)
            _compile([str(compiler), "build", *flags, "-o", str(program), package], yard, env)
            programs[program.name] = program
    told = [
        subprocess.run([compiler, "version", "-m", program], env=env, capture_output=True, check=True).stdout
        for program in programs.values()
    ]
    return programs, b"".join(told)


def for_live(case: Case, build: Build) -> dict[str, Path]:
    """Return the programs of a build for a live run, built where they stand; made once for the same sources."""
    go = next((take.go for take in case.takes if take.build == build), None) if case.live == "full" else None
    compiler = _once(f"go {go}", lambda: toolchain.go(go))
    modfile = case.folder / build.modfile
    sources = [path for path in sorted(case.folder.rglob("*")) if path.suffix in (".go", ".mod", ".sum")]
    for _, folder in needed_modules(modfile).values():
        sources += [folder / "go.mod", *sorted(folder.rglob("*.go"))]
    mark = hashlib.sha256(toolchain.version_of(compiler).encode() + build.modfile.encode())
    for path in sources:
        mark.update(path.read_bytes())
    target = toolchain.CACHE / "casebook" / f"{case.service}-{mark.hexdigest()[:12]}"
    programs = {program_name(case, package): target / program_name(case, package) for package in case.packages}
    if all(program.exists() for program in programs.values()):
        return programs
    env = toolchain.environment() | {"CGO_ENABLED": "0"}
    _stage(case, modfile, compiler, env)
    if modfile.with_suffix(".sum").exists():  # without one it needs nothing but our own modules
        # Not `go mod download`, which takes what no package of ours needs too.
        listing = [str(compiler), "list", "-deps", "-mod=readonly", *_modfile(build), *case.packages]
        _once(str(modfile), lambda: _download(listing, case.folder, env))
    making = target.with_name(f".{target.name}.{os.getpid()}")
    making.mkdir(parents=True, exist_ok=True)
    try:
        for package in case.packages:
            command = [str(compiler), "build", "-mod=readonly", "-trimpath", UNDEBUGGED, *_modfile(build)]
            _compile([*command, "-o", str(making / program_name(case, package)), package], case.folder, env)
        shutil.rmtree(target, ignore_errors=True)
        making.rename(target)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return programs


def _stage(case: Case, modfile: Path, compiler: Path, env: Mapping[str, str]) -> None:
    """Provide what a go.mod requires of the modules that no proxy serves by themselves."""
    try:
        _once(str(modfile), lambda: provide(case.staging, modfile, compiler, env))
    except StagingFailed as error:
        raise BuildFailed(f"{case.name}: {error}") from None


def _once(what: str, download: Callable[[], T]) -> T:
    if what in _unavailable:
        raise _unavailable[what]
    try:
        return download()
    except toolchain.DownloadFailed as failed:
        _unavailable[what] = failed
        raise


def _download(listing: list[str], folder: Path, env: Mapping[str, str]) -> None:
    """Download what a listing of packages needs; raise DownloadFailed when it cannot be had, and for nothing else.

    A listing fails for an import or a go.sum that is wrong too. Asked once more without a proxy, go names the proxy
    only where a module is still missing.
    """
    try:
        toolchain.download(listing, folder)
    except toolchain.DownloadFailed as failed:
        try:
            _compile(listing, folder, {**env, "GOPROXY": "off"})
        except BuildFailed as error:
            raise (failed if "GOPROXY=off" in str(error) else error) from None


__all__ = [
    "UNDEBUGGED", "BuildFailed", "copy_sources", "for_live", "for_recording", "local_modules", "needed_modules",
    "program_name", "published", "yard",
]  # fmt: skip
