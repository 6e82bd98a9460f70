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
from oakum.model import SourceNotFound, Text
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

# What go says -> what it means to the user: fetch.NAME. First to match wins. A status stands behind the address:
# reading https://proxy.example/x.info: 404 Not Found
_MEANS = (
    (r"requires go >= ", "newer-go"),
    (r"GOPROXY=off", "forbidden"),
    (r"GOPROXY list is not the empty string", "no-proxy"),
    (r"verifying|checksum|SECURITY ERROR", "checksum"),
    (r"no space left|read-only file|mkdir .*permission denied", "cache"),
    (r"dial |no such host|i/o timeout|timed out|TLS|x509|unreachable|EOF|: 50\d [A-Z]", "unreachable"),
    (r"prompts disabled|could not read Username|permission denied|: 40[17] |Proxy Auth", "denied"),
    (r"unknown revision|invalid version|: 4(?:0[34]|10) |not found|no such file", "no-release"),
    (r": 400 |unrecognized import path|malformed module path", "no-module"),
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

    why: Text


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
            raise SourceNotFound(Text("fetch.module", {"module": path, "version": version, "why": found.why}))
        return found

    def goroot(self, version: str) -> Path:
        wanted = GoVersion.of(version)
        name = version.split()[0] if version else ""
        if wanted is None or not _GO.fullmatch(name):
            raise SourceNotFound(Text("fetch.no-go-release", {"go": version or "Go"}))
        if wanted.minor < _FIRST_TOOLCHAIN:
            raise SourceNotFound(Text("fetch.old-go", {"go": name, "first": f"1.{_FIRST_TOOLCHAIN}"}))
        return self.module("golang.org/toolchain", f"v0.0.1-{name}.linux-amd64")

    def releases(self, path: str) -> tuple[str, ...]:
        """Return the releases of a module in no order: those that the proxy lists, and those in the module cache.

        A proxy inside a company often lists only what somebody has asked it for; the cache may know more.
        """
        if path not in self._releases:
            self._releases[path] = self._list(path)
        found = self._releases[path]
        if isinstance(found, _Failure):
            raise SourceNotFound(Text("fetch.releases", {"module": path, "why": found.why}))
        return found

    def _download(self, path: str, version: str) -> Path | _Failure:
        if not _MODULE.fullmatch(path):
            return _Failure(Text("fetch.no-path"))
        if not _RELEASE.fullmatch(version):
            return _Failure(Text("fetch.no-version"))
        for cache in module_caches(self._env):
            there = cache / f"{escape(path)}@{escape(version)}"
            if there.is_dir():
                return there
        if self._asked == _MOST_MODULES:
            return _Failure(Text("fetch.most", {"most": _MOST_MODULES}))
        self._asked += 1
        answer = self._go("mod", "download", "-json", f"{path}@{version}")
        if isinstance(answer, _Failure):
            return answer
        place = answer.get("Dir")
        if isinstance(place, str) and Path(place).is_dir():
            return Path(place)
        return _Failure(Text("fetch.no-directory"))

    def _list(self, path: str) -> tuple[str, ...] | _Failure:
        if not _MODULE.fullmatch(path):
            return _Failure(Text("fetch.no-path"))
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
            return _Failure(Text("fetch.too-long"))
        with tempfile.TemporaryDirectory(prefix="oakum-fetch-") as empty:
            try:
                ran = self._call(arguments, Path(empty), left, most=_MOST_OUTPUT, fetch=True, env=self._env)
            except FileNotFoundError:
                return _Failure(Text("fetch.no-go"))
            except OSError as error:
                return _Failure(Text("fetch.not-run", {"error": error.strerror or str(error)}))
        if ran.late:
            return _Failure(Text("fetch.late", {"command": f"go {arguments[0]}", "seconds": round(left)}))
        if len(ran.out) > _MOST_OUTPUT:
            return _Failure(Text("fetch.too-much"))
        try:
            answer = json.loads(ran.out or b"{}")
        except (ValueError, RecursionError):
            answer = {}
        if not isinstance(answer, dict):
            answer = {}
        said = answer.get("Error") or (ran.err.decode("utf-8", "replace") if ran.code else "")
        return _Failure(_meaning(str(said))) if said or ran.code else answer


def _meaning(said: str) -> Text:
    """Return what an error of the go command means, and its own words."""
    line = next((line.strip() for line in said.splitlines() if line.strip()), "")[:300]
    for pattern, meaning in _MEANS:
        if re.search(pattern, said[:4000], re.IGNORECASE):
            return Text("fetch.means", {"meaning": Text(f"fetch.{meaning}"), "said": line})
    return Text("fetch.said", {"said": line}) if line else Text("fetch.silent")
