"""Frames and stacks: what a line of a Go stack says, and the name under which a stack survives a rebuild.

Comes in: function, file and line verbatim as the capture printed them. Goes out: package, receiver, name,
owner, and `Stack.key`. Looks nothing up and never changes what was printed.
"""

import re
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Literal

from msgspec import Struct

Owner = Literal["runtime", "stdlib", "dependency", "own"]

# k8s.io/kubernetes/vendor/k8s.io/client-go/tools/cache.(*Reflector).Run
# github.com/coreos/etcd/Godeps/_workspace/src/golang.org/x/net/context.(*cancelCtx).cancel
# cmd/vendor/golang.org/x/sys/unix.Syscall
_VENDOR = re.compile(r"^.*/(?:vendor|_workspace/src)/|^vendor/")
# main.run[...]   main.Map[go.shape.int,go.shape.string]   a.F[github.com/x/y.T].func1   F[map[[2]int]string]
_INNERMOST_TYPES = re.compile(r"\[[^\[\]]*\]")
# What follows the package in a closure's name: func1, func1.2, gowrap1, deferwrap2 (Go 1.21+), func·001 and init·1
# (before Go 1.5), 0 of init.0
_CLOSURE_PART = re.compile(r"^(?:(?:func|gowrap|deferwrap)?\d+|func·\d+|)$")
# Run-range1   (the body of a range over a function, Go 1.23)
_RANGE = re.compile(r"-range\d+")
# (*Server).Serve-fm   (*Server).Serve·fm   (method values; the dot before Go 1.5)
_METHOD_VALUE = re.compile(r"[-·]fm$")
# (*Daemon).(github.com/docker/docker/daemon.transformContainer)-fm   (method value, Go 1.5)
_OLD_METHOD_VALUE = re.compile(r"\.\([^()*]*\.([^.()]+)\)$")
# gopkg.in/yaml%2ev2.(*decoder).scalar
_ESCAPE = re.compile(r"%([0-9a-fA-F]{2})")
# module@v1.2.3/  inside a path, module cache or -trimpath
_MODULE_VERSION = re.compile(r"(?:^|/)((?:[^/@]+/)*[^/@]+)@(v[^/]+)/")

# What only names have that read otherwise: shapes, closures, vendor prefixes, escapes, method values, other languages.
_UNUSUAL = re.compile(
    r"[\[\]·%]|-(?:fm|range)|\.(?:func|gowrap|deferwrap|glob|\d|\.|$)|^\.|vendor/|_workspace|\((?!\*)|\).*\)"
)

_RUNTIME = ("runtime", "internal/runtime", "runtime/internal")


def _without_types(function: str) -> str:
    while "[" in function:
        shorter = _INNERMOST_TYPES.sub("", function)
        if shorter == function:
            break
        function = shorter
    return function


@lru_cache(maxsize=65536)
def split_function(function: str) -> tuple[str, str, str]:
    """Return (package, receiver, name) of a function as Go prints it; receiver is "" for plain functions."""
    plain = _without_types(function)
    slash = plain.rfind("/")
    paren = plain.find("(")
    if 0 <= paren < slash:  # the slash belongs to an old method value or a type argument
        slash = plain.rfind("/", 0, paren)
    dot = plain.find(".", slash + 1)
    if dot < 0:
        return "", "", function
    package, rest = plain[:dot], plain[dot + 1 :]
    for _ in range(2):  # Go 1.27 escapes the packages of some closures twice: pen%252ev2
        if "%" in package:
            package = _ESCAPE.sub(lambda m: chr(int(m[1], 16)), package)
    if rest.startswith("("):
        close = rest.find(")")
        if close > 0:
            return package, rest[1:close], rest[close + 1 :].lstrip(".")
    head, _, tail = rest.partition(".")
    if tail and not tail.startswith(("func", "gowrap", "deferwrap")) and not head.startswith(("init", "glob")):
        return package, head, tail
    return package, "", rest


@lru_cache(maxsize=65536)
def normal_function(function: str) -> str:
    """Return the function's name without what a rebuild may change.

    Closure numbers, vendor prefixes, generic shapes, escapes and method-value marks go; Go 1.27 renames and merges
    closures, so all closures of one function read alike: `pkg.F.func`.
    """
    if not _UNUSUAL.search(function):
        return function
    name = _OLD_METHOD_VALUE.sub(r".\1", _METHOD_VALUE.sub("", function))
    package, receiver, rest = split_function(name)
    if "/vendor/" in package or package.startswith("vendor/") or "_workspace/src/" in package:
        package = _VENDOR.sub("", package)
    # Closures of package variables: glob..func1 up to Go 1.20, init.func1 since.
    parts = _RANGE.sub("", re.sub(r"^glob\.\.", "init.", rest)).split(".")
    kept = [re.sub(r"·\d+$", "", part) for part in parts if not _CLOSURE_PART.match(part)]
    closure = len(kept) < len(parts) and any("func" in part or "wrap" in part for part in parts)
    names = [package, f"({receiver})" if receiver.startswith("*") else receiver, *kept, "func" if closure else ""]
    return ".".join(part for part in names if part)


class Frame(Struct, frozen=True):
    """One line of a stack: function, file and line exactly as the capture printed them."""

    function: str
    file: str = ""
    line: int = 0

    @property
    def package(self) -> str:
        """Return the import path, vendor prefix included, escapes undone."""
        return split_function(self.function)[0]

    @property
    def receiver(self) -> str:
        """Return the receiver's type ("*T" or "T"), or ""."""
        return split_function(self.function)[1]

    @property
    def name(self) -> str:
        """Return the function's own name, closure suffix included."""
        return split_function(self.function)[2]

    @property
    def owner(self) -> Owner:
        """Return whose code this is, as far as name and path tell."""
        return owner_of(self.function, self.file)

    @property
    def module(self) -> tuple[str, str] | None:
        """Return (module, version) when the file's path names them (module cache or -trimpath)."""
        found = _MODULE_VERSION.search(self.file) if "@v" in self.file else None
        return (found[1].rpartition("pkg/mod/")[2], found[2]) if found else None

    def __str__(self) -> str:
        return f"{self.function} {self.file}:{self.line}" if self.file else self.function


@lru_cache(maxsize=65536)
def owner_of(function: str, file: str) -> Owner:
    """Return whose code a frame is: the Go runtime's, the standard library's, a dependency's or the user's own.

    An import path whose first element has no dot is the standard library's or the user's own (`main`, `app/db`): the
    path of the file decides. Without a file, the names of the standard library's top folders do.
    """
    package = split_function(function)[0]
    if not package and function.startswith(("0x", "<unknown>")):
        return "runtime"  # an address that nobody has named is no code of the user's
    if function == "panic" or package in _RUNTIME or package.startswith(("internal/runtime/", "runtime/internal/")):
        return "runtime"
    path = file.replace("\\", "/")
    if "/vendor/" in path or "/vendor/" in package or package.startswith("vendor/") or "_workspace/src/" in path:
        return "stdlib" if package.startswith("vendor/golang.org/") else "dependency"
    if "@v" in path and _MODULE_VERSION.search(path):
        return "dependency" if "golang.org/toolchain@" not in path else "stdlib"
    first = package.partition("/")[0]
    if package == "main" or not package:
        return "own"
    if "." not in first:
        # internal/poll.runtime_pollWait stands in runtime/netpoll.go: linked from the runtime
        if first in _STDLIB_TOP and (not path or f"{package}/" in path or "runtime/" in path or _in_stdlib(path)):
            return "stdlib"
        return "own"
    if "/pkg/mod/" in path:
        return "dependency"
    return "own"


def _in_stdlib(path: str) -> bool:
    """Tell whether a file is of the standard library: closures are named after the function they were inlined into.

    syscall.init.OnceFunc.func3 stands in sync/oncefunc.go.
    """
    inside = path.rpartition("/src/")[2] if "/go" in path else path
    top, slash, _ = inside.partition("/")
    return bool(slash) and top in _STDLIB_TOP


# First elements of the standard library's import paths (go list std, Go 1.27, and those of earlier releases).
_STDLIB_TOP = frozenset(
    """archive bufio bytes cmp compress container context crypto database debug embed encoding errors expvar flag fmt go
    hash html image index internal io iter log maps math mime net os path plugin reflect regexp runtime slices sort
    strconv strings structs sync syscall testing text time unicode unique unsafe uuid weak simd""".split()
)


class Stack(Struct, frozen=True, dict=True):
    """Frames, leaf first; `truncated` when the capture itself said that frames are missing."""

    frames: tuple[Frame, ...]
    truncated: bool = False

    @property
    def functions(self) -> tuple[str, ...]:
        """Return the functions verbatim, leaf first."""
        return tuple([frame.function for frame in self.frames])

    @cached_property
    def names(self) -> frozenset[str]:
        """Return the functions that stand in it. Kept: dumps of one program share their stacks, and all are asked."""
        return frozenset(self.functions)

    @cached_property
    def normal_names(self) -> frozenset[str]:
        """Return the same as another build has them."""
        return frozenset(map(normal_function, self.functions))

    @property
    def key(self) -> str:
        """Return a short name for this stack that survives a rebuild (no lines, closures, vendor, shapes)."""
        return stack_key(self.functions)

    @cached_property
    def place(self) -> Frame | None:
        """Return where the goroutine stands: the first frame outside runtime, sync, internal/* and time."""
        for frame in self.frames:
            package = frame.package
            if package not in _WAITING and not package.startswith(("internal/", "runtime/internal/")):
                return frame
        return self.frames[0] if self.frames else None

    @cached_property
    def packages(self) -> frozenset[str]:
        """Return the packages of its functions."""
        return frozenset([frame.package for frame in self.frames])

    @cached_property
    def is_users(self) -> bool:
        """Tell whether some frame is of the user's own code or of a dependency."""
        return any(frame.owner in ("own", "dependency") for frame in self.frames)

    @property
    def entry(self) -> Frame | None:
        """Return the function the goroutine started in; None when the stack is cut or empty."""
        return self.frames[-1] if self.frames and not self.truncated else None


_WAITING = frozenset({"runtime", "sync", "time", "sync/atomic"})


@lru_cache(maxsize=65536)
def stack_key(functions: tuple[str, ...]) -> str:
    """Return the stable key of a stack given its functions, leaf first."""
    text = "\n".join(normal_function(function) for function in functions)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
