"""Starts the go command; nothing else in Oakum does. Arguments and a folder -> exit code and output, within limits.

A checkout is data. Whatever it says, no program that it names or holds is run: no version control, no -toolexec, no
cgo, no other toolchain; nothing is written into it. The user's proxies, caches and module settings hold.
"""

import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from oakum.collect.code.go_places import checkout_of, go_setting, version_of
from oakum.collect.programs import Ran, find_program, is_inside, run_program, safe_path

# What the go command needs of the environment to find its home, its caches and the network; none names a program.
_PASSED = (
    "HOME", "USER", "LOGNAME", "TMPDIR", "TMP", "TEMP", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
    "USERPROFILE", "LOCALAPPDATA", "APPDATA", "SYSTEMROOT", "SYSTEMDRIVE", "PATHEXT",
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "GOMAXPROCS", "GOMEMLIMIT",
)  # fmt: skip
# Settings that `go env -w` may have written as well.
_SETTINGS = (
    "GOPROXY", "GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GONOSUMCHECK", "GOSUMDB", "GOINSECURE", "GOPATH", "GOMODCACHE",
    "GOCACHE", "GOTMPDIR", "GOOS", "GOARCH",
)  # fmt: skip
# Only to fetch, which runs in an empty folder: how the user gets at private modules.
_PASSED_TO_FETCH = ("NETRC", "SSH_AUTH_SOCK", "GIT_SSH", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH")
_SETTINGS_TO_FETCH = ("GOAUTH", "GOVCS")
# Flags that only say which files are built, and who may write to the module cache: -tags=sqlite,netgo
_HARMLESS_FLAG = re.compile(r"--?(?:tags=[\w.,]{1,400}|modcacherw)")
# Go before 1.18 looks at no version control, and knows no such flag.
_NO_VCS = "-buildvcs=false"
_UNKNOWN_FLAG = b"unknown flag -buildvcs"
_MOST_OUTPUT = 32 << 20
_SHIM_SECONDS, _MOST_PATH = 20.0, 4096


def call_go(
    arguments: Sequence[str],
    folder: Path,
    seconds: float,
    *,
    most: int = _MOST_OUTPUT,
    fetch: bool = False,
    cgo: bool = False,
    env: Mapping[str, str] = os.environ,
    command: str = "go",
) -> Ran:
    """Run the go command in a folder; raise OSError when there is none or it does not start.

    `fetch`: it may download modules, which the user asked for. Otherwise it asks nobody. `cgo`: it may compile C, for
    tests that the user asked to be run.
    """
    program = command if os.sep in command else find_go(folder, env)
    if program is None:
        raise FileNotFoundError("there is no go command on this machine (https://go.dev/dl)")
    if program != command and any(folder.iterdir()):
        program = _behind(program, tuple(sorted(env.items())))
    settings = environment(env, folder, fetch=fetch) | ({"CGO_ENABLED": "1"} if cgo else {})
    ran = run_program([program, *arguments], seconds, most, folder=folder, env=settings)
    if ran.code and _UNKNOWN_FLAG in ran.err + ran.out:
        settings["GOFLAGS"] = settings["GOFLAGS"].replace(_NO_VCS, "").strip()
        ran = run_program([program, *arguments], seconds, most, folder=folder, env=settings)
    return ran


def find_go(folder: Path | None = None, env: Mapping[str, str] = os.environ) -> str | None:
    """Return the go command on the PATH: in an absolute folder, and not in the checkout that it is run in."""
    return find_program("go", env, checkout_of(folder, env) if folder else None)


@lru_cache(4)
def _behind(program: str, env: tuple[tuple[str, str], ...]) -> str:
    """Return the go command behind a shim of asdf, mise or goenv, which runs what a file in its folder names.

    So it is asked in an empty folder where its Go is, and that is run. What is no shim is run as it is.
    """
    if version_of(Path(program).resolve().parent.parent):
        return program
    with tempfile.TemporaryDirectory(prefix="oakum-") as empty:
        settings = {**dict(env), "PATH": safe_path(dict(env)), "GOENV": "off", "GOTOOLCHAIN": "local"}
        ran = run_program([program, "env", "GOROOT"], _SHIM_SECONDS, _MOST_PATH, folder=Path(empty), env=settings)
    real = Path(os.fsdecode(ran.out.strip())) / "bin" / Path(program).name
    return str(real) if real.is_absolute() and os.access(real, os.X_OK) else program


def environment(env: Mapping[str, str], folder: Path, *, fetch: bool) -> dict[str, str]:
    """Return the whole environment in which go is run in a folder."""
    checkout = checkout_of(folder, env)
    passed = {name: env[name] for name in (*_PASSED, *(_PASSED_TO_FETCH if fetch else ())) if env.get(name)}
    passed |= {
        name: value for name in (*_SETTINGS, *(_SETTINGS_TO_FETCH if fetch else ())) if (value := go_setting(env, name))
    }
    if (root := env.get("GOROOT", "")) and Path(root).is_absolute() and not is_inside(Path(root), checkout):
        passed["GOROOT"] = root
    flags = [flag for flag in go_setting(env, "GOFLAGS").split() if _HARMLESS_FLAG.fullmatch(flag)]
    passed |= {
        "PATH": safe_path(env, checkout),
        "GOENV": "off",  # what is wanted of it is passed above
        # Never empty: Go would take what its own go.env says.
        "GOFLAGS": " ".join(("-mod=readonly", _NO_VCS, *flags)),
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
        "GO111MODULE": "on",
        "CGO_ENABLED": "0",
    }
    if fetch:
        return passed | _git(fetch=True) | {"GIT_SSH_COMMAND": env.get("GIT_SSH_COMMAND") or "ssh -o BatchMode=yes"}
    return passed | _git(fetch=False) | {"GOPROXY": "off", "GOSUMDB": "off", "GOVCS": "*:off", "GOAUTH": "off"}


def _git(*, fetch: bool) -> dict[str, str]:
    """Return settings by which a git that Go may start runs nothing that a repository names.

    To fetch, the user's own configuration holds: it says how private modules are reached.
    """
    settings = {"core.fsmonitor": "false", "core.hooksPath": os.devnull, "protocol.ext.allow": "never"}
    if not fetch:
        settings |= {"credential.helper": "", "core.sshCommand": "false", "core.askPass": "", "core.pager": "cat"}
    made = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_CONFIG_COUNT": str(len(settings))}
    for number, (name, value) in enumerate(settings.items()):
        made |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return made if fetch else made | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
