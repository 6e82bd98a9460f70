"""A checkout -> what in it, or in the user's settings, would have Go or git run a program or read elsewhere.

Nothing of it is followed; each is a warning that says what was found and what is therefore not done. Opens only small
files by their known names: .git/config, go.mod, go.work.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from oakum.collect.code.go_places import (
    GoVersion,
    checkout_of,
    directives,
    go_setting,
    read_text,
    vendor_of,
    version_of,
)
from oakum.collect.programs import is_inside
from oakum.experiment.call_go import find_go
from oakum.model import Problem, Text
from oakum.regex import regex

_MOST_CONFIG = 1 << 20
_MOST_NAMED = 4  # in one sentence
# [core]   [filter "lfs"]   [includeIf "gitdir:~/src/"]
_SECTION = regex(r'\s*\[\s*([\w.-]+)(?:\s+"([^"]*)")?\s*\]')
# fsmonitor = .git/hooks/watch   hooksPath=.husky
_SETTING = regex(r"\s*([A-Za-z][\w-]*)\s*=\s*(.*)")
# Settings of a repository that make git run a program while it reads, or take settings from another file.
_RUNS = regex(
    r"core\.(?:fsmonitor|sshcommand|gitproxy|askpass|alternaterefscommand)|filter\..*\.(?:clean|smudge|process)|"
    r"diff\.(?:external|.*\.(?:textconv|command))|credential\..*helper|include(?:if\..*)?\.path|gpg\..*program|gpg\.program"
)
_NO_PROGRAM = frozenset(("", "true", "false", "yes", "no", "on", "off", "1", "0"))
_LFS = ("git-lfs clean -- %f", "git-lfs smudge -- %f", "git-lfs filter-process")  # `git lfs install --local` sets them
_READING_HOOKS = ("post-index-change", "fsmonitor-watchman", "reference-transaction")  # run by git while it only reads
_FLAGS_THAT_RUN = ("-toolexec", "-exec", "-vettool")
_NAME_PROGRAMS = ("GOCACHEPROG", "CC", "CXX", "PKG_CONFIG")


class Checkout(Struct, frozen=True):
    """What was found. `leads_outside`: Go would read what lies outside of the checkout, so it is not called there."""

    warnings: tuple[Problem, ...] = ()
    leads_outside: bool = False


def inspect_checkout(module: Path, given: Sequence[Path] = (), env: Mapping[str, str] = os.environ) -> Checkout:
    """Return what is to be known of a module before Go is called in it; `given`: folders that the user named."""
    module = module.absolute()
    root = checkout_of(module, env)
    inside = (root, *given)
    outside = (*_replaced_outside(module, inside), *_linked_vendor(module, env))
    found = (*_git(root), *_settings(env), *_on_path(root, env), *_go_work(module, inside), *_toolchain(module, env))
    return Checkout((*found, *outside), bool(outside))


def _git(root: Path) -> Iterator[Problem]:
    git = root / ".git"
    if linked := re.match(r"gitdir: (.+)", read_text(git, 4096)):  # a worktree, a submodule
        git = root / linked[1].strip()
        git = git / (read_text(git / "commondir", 4096).strip() or ".")
    config = read_text(git / "config", _MOST_CONFIG)
    values = list(_values(config))
    runs = [name for name, value in values if _RUNS.fullmatch(name) and value not in (*_NO_PROGRAM, *_LFS)]
    if runs:
        yield Problem.of("git-config", str(git / "config"), settings=_named(runs))
    elsewhere = [value for name, value in values if name == "core.hookspath"]
    for folder in (git / "hooks", *(root / value for value in elsewhere)):
        if hooks := [name for name in _READING_HOOKS if os.access(folder / name, os.X_OK)]:
            yield Problem.of("git-hooks", str(folder), hooks=_named(hooks))


def _values(config: str) -> Iterator[tuple[str, str]]:
    """Yield the settings of a git configuration: ("filter.lfs.clean", "git-lfs clean -- %f")."""
    section = ""
    for line in config.splitlines():
        if header := _SECTION.match(line):
            section = header[1].lower() + (f".{header[2]}" if header[2] else "")
            line = line[header.end() :]
        if setting := _SETTING.match(line):
            yield f"{section}.{setting[1].lower()}", setting[2].strip().strip('"')


def _settings(env: Mapping[str, str]) -> Iterator[Problem]:
    flags = [flag.partition("=")[0].replace("--", "-") for flag in go_setting(env, "GOFLAGS").split()]
    if runs := [flag for flag in flags if flag in _FLAGS_THAT_RUN]:
        yield Problem.of("go-flags", flags=_named(runs))
    if names := [name for name in _NAME_PROGRAMS if go_setting(env, name)]:
        yield Problem.of("go-programs", names=_named(names))


def _on_path(root: Path, env: Mapping[str, str]) -> Iterator[Problem]:
    for folder in dict.fromkeys(env.get("PATH", "").split(os.pathsep)):
        place = Path(folder or ".")
        if place.is_absolute() and not is_inside(place, root):
            continue
        if programs := [name for name in ("go", "git") if os.access(place / name, os.X_OK)]:
            yield Problem.of("path", str(place.absolute()), programs=_named(programs))


def _go_work(module: Path, inside: Sequence[Path]) -> Iterator[Problem]:
    for place in (module, *module.parents):
        if (place / "go.work").is_file():
            said = directives(place / "go.work")
            paths = [words[0] for words in said.get("use", ())] + [*_replaces(said)]
            if away := [path for path in paths if not _is_in(place / path, inside)]:
                yield Problem.of("go-work", str(place / "go.work"), paths=_named(away), checkout=str(inside[0]))
            return
        if place == inside[0]:
            return


def _toolchain(module: Path, env: Mapping[str, str]) -> Iterator[Problem]:
    said = directives(module / "go.mod")
    asked = [words[0] for verb in ("toolchain", "go") for words in said.get(verb, ())]
    program = find_go(module, env)
    here = version_of(Path(program).resolve().parent.parent) if program else ""
    own = GoVersion.of(here)
    for name in asked:
        wanted = GoVersion.of(name)
        newer = wanted and own and (wanted.minor, wanted.patch or 0) > (own.minor, own.patch or 0)
        if newer or "-" in name:
            place = str(module / "go.mod")
            other = Problem.of("toolchain", place, asked=name, here=here)
            yield other if here else Problem.of("toolchain.none", place, asked=name)
            return


def _replaced_outside(module: Path, inside: Sequence[Path]) -> Iterator[Problem]:
    away = [path for path in _replaces(directives(module / "go.mod")) if not _is_in(module / path, inside)]
    if away:
        yield Problem.of("replaced-outside", str(module / "go.mod"), paths=_named(away), checkout=str(inside[0]))


def _is_in(path: Path, folders: Sequence[Path]) -> bool:
    return any(is_inside(path, folder) for folder in folders)


def _replaces(said: Mapping[str, list[list[str]]]) -> Iterator[str]:
    """Yield the folders that stand in the place of modules."""
    for words in said.get("replace", ()):
        if "=>" in words[1:-1] and len(target := words[words.index("=>") + 1 :]) == 1:
            yield target[0]


def _linked_vendor(module: Path, env: Mapping[str, str]) -> Iterator[Problem]:
    if vendor_of(module, env) is None:
        yield Problem.of("linked-vendor", str(module / "vendor"), to=os.path.realpath(module / "vendor"))


def _named(words: list[str]) -> Text | str:
    words = list(dict.fromkeys(words))
    named, more = ", ".join(words[:_MOST_NAMED]), len(words) - _MOST_NAMED
    return Text("problem.part.and-more", {"names": named, "more": more}) if more > 0 else named
