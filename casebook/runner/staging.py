"""A module that the proxy has only as a folder of a larger one -> the module cache, under a version of its own.

Comes in: what [[staging]] of case.toml says, and go.sum. The larger module is downloaded by the go command and held to
go.sum, and so is what is taken out of it; nothing of either is kept here. What does not fit go.sum is refused by go.
"""

import json
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from casebook.runner.case import Staging
from casebook.runner.tools import toolchain

# require k8s.io/apiserver v0.0.0-kubernetes-1.12.4
_REQUIRED = re.compile(r"^(?:require\s+)?\s*(\S+)\s+(v\S+)(?:\s*//.*)?$")


class StagingFailed(Exception):
    """A module cannot be taken out of another one; the message is the go command's."""


def escaped(path: str) -> str:
    """Return a module's path as the module cache and proxies spell it."""
    return re.sub(r"[A-Z]", lambda upper: "!" + upper[0].lower(), path)


def required(modfile: Path) -> dict[str, str]:
    """Return the versions that a go.mod requires, by module."""
    lines = modfile.read_text(encoding="utf-8").splitlines()
    return {found[1]: found[2] for line in lines if (found := _REQUIRED.match(line))}


def provide(staging: Iterable[Staging], modfile: Path, compiler: Path, env: Mapping[str, str]) -> None:
    """Put the staged modules that a go.mod requires into the module cache of `env`, unless they are there."""
    versions = required(modfile)
    for one in staging:
        modules = [module for module in one.modules if versions.get(module) == one.version]
        if not modules:
            continue
        with tempfile.TemporaryDirectory(prefix="cb-") as made:
            # Asked from a module of its own with the same go.sum, go compares with that and with nothing else.
            folder, proxy = Path(made) / "module", Path(made) / "proxy"
            folder.mkdir()
            (folder / "go.mod").write_text("module staging\n")
            shutil.copy(modfile.with_suffix(".sum"), folder / "go.sum")
            fetch = [str(compiler), "mod", "download"]
            wanted = [f"{module}@{one.version}" for module in modules]
            if _go([*fetch, *wanted], folder, {**env, "GOPROXY": "off"}).returncode == 0:
                continue
            toolchain.download([*fetch, one.inside], folder)
            whole = json.loads(
                _told([*fetch, "-json", one.inside], folder, toolchain.environment() | {"GOPROXY": "off"})
            )
            for module in modules:
                _serve(proxy, one, module, whole)
            _told([*fetch, *wanted], folder, {**env, "GOPROXY": proxy.as_uri()})


def _told(command: list[str], folder: Path, env: Mapping[str, str]) -> str:
    done = _go(command, folder, env)
    if done.returncode:
        raise StagingFailed(f"{' '.join(command)}:\n{(done.stderr or done.stdout).strip()}")
    return done.stdout


def _go(command: list[str], folder: Path, env: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, cwd=folder, env=dict(env), capture_output=True, text=True, check=False)


def _serve(proxy: Path, one: Staging, module: str, whole: Mapping[str, Any]) -> None:
    """Write a module as a module proxy serves it: the files of its folder, with the time of what they are in."""
    served = proxy / escaped(module) / "@v"
    served.mkdir(parents=True)
    inside = f"{one.inside}/{one.folder}/{module}/"
    with zipfile.ZipFile(whole["Zip"]) as packed, zipfile.ZipFile(served / f"{one.version}.zip", "w") as part:
        files = {name.removeprefix(inside): name for name in packed.namelist() if name.startswith(inside)}
        for file, name in sorted(files.items()):
            part.writestr(f"{module}@{one.version}/{file}", packed.read(name))
        # What was a module before there were any has none; go then reads it as this.
        text = packed.read(files["go.mod"]) if "go.mod" in files else f"module {module}\n".encode()
    (served / f"{one.version}.mod").write_bytes(text)
    time = json.loads(Path(whole["Info"]).read_text(encoding="utf-8"))["Time"]
    (served / f"{one.version}.info").write_text(json.dumps({"Version": one.version, "Time": time}))


__all__ = ["StagingFailed", "escaped", "provide", "required"]
