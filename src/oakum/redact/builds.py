"""What names modules (`go version -m`, go.mod, go.sum, vendor/modules.txt) -> the same, private modules as tokens.

Versions stay, and settings that name no path; flags, revisions and sums of private modules go.
"""

import re

from oakum.redact.names import Names
from oakum.redact.tokens import Tokens

# /usr/bin/kubelet: go1.20.5
_PROGRAM = re.compile(r"(\S.*): ((?:devel )?go\d\S*(?: X:\S+)?|devel \+\S+)\s*")
# build	-compiler=gc
_SETTING = re.compile(
    r"(?:-buildmode|-compiler|-trimpath|-race|-msan|-asan|CGO_ENABLED|GOARCH|GOOS|GOAMD64|GOARM64|GOARM|GOEXPERIMENT"
    r"|GOFIPS140|DefaultGODEBUG|vcs|vcs\.modified)=[\w.,=-]*"
)
_VERSION = re.compile(r"v\d[\w.+-]*(?:/go\.mod)?|\(devel\)|latest|go\d[\w.]*|\d+(?:\.\d+){1,2}(?:rc\d+)?")
_NO_SUM = "h1:" + "A" * 43 + "="
# golang.org/x/net v0.1.0/go.mod h1:...=
_GO_SUM = re.compile(r"(\S+) (v\S+) (h1:[A-Za-z0-9+/]{43}=)")
# `module example.com/shop`, `require (`, `k8s.io/api v0.18.8 // indirect`, `replace a => ../a`, `retract [v1.0.0]`
_GO_MOD_LINE = re.compile(
    r"\s*(?:module \S+|go \d\S*|toolchain \S+|(?:require|replace|exclude|retract|tool|godebug|ignore) ?\(|\)|"
    r"(?:(?:require|replace|exclude) )?\S+(?: v\S+)?(?: => \S+(?: v\S+)?)?|retract [\[\]\w., +-]+|[\[\]v\d., +-]+"
    r"|(?:tool|godebug|ignore) \S+)?\s*(?://.*)?"
)
_WORDS = frozenset("module go toolchain require replace exclude retract ignore tool godebug ( ) => // indirect".split())


def redact_build(text: str, names: Names, tokens: Tokens) -> str | None:
    """Return the text with tokens; None when it names no build."""
    if "goroutine " in text:
        return None  # a log may name a build beside its stacks
    head = text[: 64 << 10]
    if re.match(r"\s*(?:go\t(?:go\d|devel)[^\n]*\n)?path\t", head) or "\n\tpath\t" in head or "\n\tmod\t" in head:
        return "\n".join(filter(None, (_listed(line, names) for line in text.splitlines()))) + "\n"
    lines = text.splitlines()
    if any(line.startswith("module ") for line in lines) and all(map(_GO_MOD_LINE.fullmatch, lines)):
        return "\n".join(_module_line(line, names, tokens) for line in lines) + "\n"
    if lines and all(_GO_SUM.fullmatch(line) for line in lines if line):
        return "\n".join(_sum(line, names) for line in lines) + "\n"
    if re.match(r"# \S+ v\S+", head) and "\n## " in head:
        return "\n".join(_vendored(line, names) for line in lines) + "\n"
    return None


def _listed(line: str, names: Names) -> str | None:
    """Return a line of `go version -m`, of which nothing but what is known stays."""
    if program := _PROGRAM.fullmatch(line):
        return f"{names.program(program[1])}: {program[2]}"
    indent = line[: len(line) - len(line.lstrip("\t"))]
    match line.strip().split("\t"):
        case ["go", version]:
            return f"{indent}go\t{version}"
        case ["path", package]:
            return f"{indent}path\t{names.module(package)}"
        case ["mod" | "dep" | "=>" as kind, module, *rest]:
            told = names.module(module)
            kept = [one for one in rest[:1] if _VERSION.fullmatch(one) or not one]
            kept += rest[1:2] if told == module and kept else []
            return "\t".join([f"{indent}{kind}", told, *kept])
        case ["build", setting] if _SETTING.fullmatch(setting):
            return f"{indent}build\t{setting}"
    return None


def _module_line(line: str, names: Names, tokens: Tokens) -> str:
    code, comment, said = line.partition("//")
    note = " // indirect" if comment and said.strip().startswith("indirect") else ""

    def word(found: re.Match[str]) -> str:
        bare = found[0].strip('"`')
        if bare in _WORDS or _VERSION.fullmatch(bare):
            return bare
        if bare.startswith(("./", "../", "/")):
            return f"./{tokens.word(bare)}"
        return names.module(bare)

    return re.sub(r"[^\s,\[\]]+", word, code.rstrip()) + note


def _sum(line: str, names: Names) -> str:
    found = _GO_SUM.fullmatch(line)
    if found is None:
        return ""
    told = names.module(found[1])
    return f"{told} {found[2]} {found[3] if told == found[1] else _NO_SUM}"


def _vendored(line: str, names: Names) -> str:
    if line.startswith("##"):
        return line if re.fullmatch(r"## (?:explicit(?:; )?)?(?:go \d[\d.]*)?(?:workspace)?", line) else "##"
    if not line.startswith("# "):
        return names.module(line.strip())
    words = (word if word == "=>" or _VERSION.fullmatch(word) else names.module(word) for word in line[2:].split())
    return "# " + " ".join(words)
