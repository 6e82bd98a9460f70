"""Source that this machine does not have, brought by the `go` command: modules, Go releases, lists of releases.

Comes in: module paths and versions, as the evidence names them: checked before they reach a command line. Goes out:
directories of the user's module cache. GOPROXY, GOPRIVATE and the rest of the user's settings decide whom go asks.
"""

import json
import os
import re
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from oakum.collect.code.go_places import GoVersion, escape, module_caches
from oakum.collect.programs import Ran
from oakum.model import SourceNotFound
from oakum.regex import regex

_SECONDS = 180.0  # for one command: k8s.io/kubernetes is 40 MB packed
_SECONDS_IN_ALL = 900.0
_MOST_MODULES = 60  # asked for in one diagnosis: six leads
_MOST_OUTPUT = 8 << 20

# github.com/Azure/go-autorest   gopkg.in/yaml.v2   k8s.io/api      the first element is a host
_MODULE = regex(r"^[A-Za-z0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)+(?:/[A-Za-z0-9_~][A-Za-z0-9._~-]*)*$")
# v1.2.3   v0.0.0-20181128191346-49ce2735e507   v14.2.0+incompatible
_RELEASE = regex(r"^v\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$")
# go1.21.3   go1.22rc1
_GO = regex(r"^go1\.\d+(?:\.\d+|(?:rc|beta)\d+)$")
_FIRST_TOOLCHAIN = 21  # golang.org/toolchain begins with Go 1.21

# What go says -> what it means to the user. First to match wins. A status stands behind the address that was read:
# reading https://proxy.example/x.info: 404 Not Found
_MEANS = (
    (r"requires go >= ", "it asks for a newer go command than the one here"),
    (r"GOPROXY=off", "the settings forbid downloads (GOPROXY=off)"),
    (r"GOPROXY list is not the empty string", "GOPROXY names no proxy"),
    (r"verifying|checksum|SECURITY ERROR", "its checksum is not the one that is known: nothing of it is used"),
    (r"no space left|read-only file|mkdir .*permission denied", "the module cache cannot be written"),
    (r"dial |no such host|i/o timeout|timed out|TLS|x509|unreachable|EOF|: 50\d [A-Z]", "the proxy cannot be reached"),
    (r"prompts disabled|could not read Username|permission denied|: 40[17] |Proxy Auth", "access was denied"),
    (
        r"unknown revision|invalid version|: 4(?:0[34]|10) |not found|no such file",
        "the proxy has no such release, or gives it to nobody",
    ),
    (r": 400 |unrecognized import path|malformed module path", "there is no such module"),
)


class CallGo(Protocol):
    """How the go command is run: experiment/call_go.py, which is handed in."""

    def __call__(
        self, arguments: Sequence[str], folder: Path, seconds: float, *, most: int, fetch: bool, env: Mapping[str, str]
    ) -> Ran:
        """Return what it printed; raise OSError when it cannot be run."""
        ...


class _Failure(Struct, frozen=True):
    """Why something did not come; kept, so that it is asked for once."""

    why: str


class Fetch:
    """Fetches modules with the `go` command of this machine. Every answer is kept, refusals too."""

    def __init__(self, go: CallGo, env: Mapping[str, str] = os.environ, seconds: float = _SECONDS) -> None:
        self._call = go
        self._env = env
        self._seconds = seconds
        self._until = time.monotonic() + _SECONDS_IN_ALL
        self._asked = 0
        self._modules: dict[tuple[str, str], Path | _Failure] = {}
        self._releases: dict[str, tuple[str, ...] | _Failure] = {}

    def module(self, path: str, version: str) -> Path:
        key = (path, version)
        if key not in self._modules:
            self._modules[key] = self._download(path, version)
        found = self._modules[key]
        if isinstance(found, _Failure):
            raise SourceNotFound(f"{path}@{version} was not fetched: {found.why}")
        return found

    def goroot(self, version: str) -> Path:
        wanted = GoVersion.of(version)
        name = version.split()[0] if version else ""
        if wanted is None or not _GO.fullmatch(name):
            raise SourceNotFound(f"{version or 'Go'} was not fetched: that is no release of Go")
        if wanted.minor < _FIRST_TOOLCHAIN:
            raise SourceNotFound(
                f"{name} was not fetched: the module proxy has Go since 1.{_FIRST_TOOLCHAIN}; "
                f"go install golang.org/dl/{name}@latest && {name} download brings this one"
            )
        return self.module("golang.org/toolchain", f"v0.0.1-{name}.linux-amd64")

    def releases(self, path: str) -> tuple[str, ...]:
        """Return the releases of a module in no order: those that the proxy lists, and those in the module cache.

        A proxy inside a company often lists only what somebody has asked it for; the cache may know more.
        """
        if path not in self._releases:
            self._releases[path] = self._list(path)
        found = self._releases[path]
        if isinstance(found, _Failure):
            raise SourceNotFound(f"the releases of {path} could not be listed: {found.why}")
        return found

    def _download(self, path: str, version: str) -> Path | _Failure:
        if not _MODULE.fullmatch(path):
            return _Failure("this is not the path of a module that a proxy can have")
        if not _RELEASE.fullmatch(version):
            return _Failure("this is not the version of a release")
        for cache in module_caches(self._env):
            there = cache / f"{escape(path)}@{escape(version)}"
            if there.is_dir():
                return there
        if self._asked == _MOST_MODULES:
            return _Failure(f"{_MOST_MODULES} modules were asked for already")
        self._asked += 1
        answer = self._go("mod", "download", "-json", f"{path}@{version}")
        if isinstance(answer, _Failure):
            return answer
        place = answer.get("Dir")
        if isinstance(place, str) and Path(place).is_dir():
            return Path(place)
        return _Failure("go named no directory for it")

    def _list(self, path: str) -> tuple[str, ...] | _Failure:
        if not _MODULE.fullmatch(path):
            return _Failure("this is not the path of a module that a proxy can have")
        answer = self._go("list", "-m", "-versions", "-json", path)
        versions = [] if isinstance(answer, _Failure) else answer.get("Versions") or []
        listed = [v for v in versions if isinstance(v, str)] if isinstance(versions, list) else []
        for cache in module_caches(self._env):
            try:
                packed = [p.name for p in (cache / "cache/download" / escape(path) / "@v").iterdir()]
            except OSError:
                continue
            listed += [name.removesuffix(".zip") for name in packed if name.endswith(".zip")]
        found = tuple(dict.fromkeys(v for v in listed if _RELEASE.fullmatch(v)))
        return answer if isinstance(answer, _Failure) and not found else found

    def _go(self, *arguments: str) -> dict[str, object] | _Failure:
        """Run go in an empty directory and return the JSON it prints, or why there is none."""
        left = min(self._seconds, self._until - time.monotonic())
        if left <= 0:
            return _Failure("fetching took too long in all")
        with tempfile.TemporaryDirectory(prefix="oakum-fetch-") as empty:
            try:
                ran = self._call(arguments, Path(empty), left, most=_MOST_OUTPUT, fetch=True, env=self._env)
            except FileNotFoundError as error:
                return _Failure(str(error))
            except OSError as error:
                return _Failure(f"go cannot be run: {error.strerror or error}")
        if ran.late:
            return _Failure(f"go {arguments[0]} took longer than {left:.0f} s")
        if len(ran.out) > _MOST_OUTPUT:
            return _Failure("go printed more than an answer")
        try:
            answer = json.loads(ran.out or b"{}")
        except (ValueError, RecursionError):
            answer = {}
        if not isinstance(answer, dict):
            answer = {}
        said = answer.get("Error") or (ran.err.decode("utf-8", "replace") if ran.code else "")
        return _Failure(_in_words(str(said))) if said or ran.code else answer


def _in_words(said: str) -> str:
    """Return what an error of the go command means, and its own words."""
    line = next((line.strip() for line in said.splitlines() if line.strip()), "")[:300]
    for pattern, meaning in _MEANS:
        if re.search(pattern, said[:4000], re.IGNORECASE):
            return f"{meaning} ({line})"
    return f"go says: {line}" if line else "go failed and said nothing"
