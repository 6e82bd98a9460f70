"""Responses whose body is not closed: the call that got one, and the exit that leaves it open.

The goroutine that waits is net/http's own and has no frame of the user's: the program's packages are searched.
"""

from collections.abc import Iterator

from msgspec.structs import replace
from tree_sitter import Node

from oakum.explain import fixes
from oakum.explain.code.calls import at, method, operand, place
from oakum.explain.code.flows import Flows
from oakum.explain.code.nouns import Func, Op
from oakum.explain.code.package import Package
from oakum.explain.code.program import Program
from oakum.explain.code.syntax import text
from oakum.explain.network.acquired import Acquisitions, Lost, Pair, methods_named
from oakum.explain.network.deadlines import client, request
from oakum.explain.network.drafts import give_back
from oakum.explain.reason import Reason, StackInSource
from oakum.explain.values import Expr, Origins, called
from oakum.model import CauseSite, Frame, Text

_CALLS = ("Do", "Get", "Post", "PostForm")  # a HEAD has no body
_READS_ALL = ("io.ReadAll", "io/ioutil.ReadAll", "io.Copy", "io.CopyBuffer")
_ERROR_ENDS = ("io.ReadAll", "io/ioutil.ReadAll", "io.ReadFull")
# Functions of these packages read what they are given and close nothing.
_READERS = (
    "io.", "io/ioutil.", "bufio.", "bytes.", "fmt.", "log.", "encoding/", "compress/", "strings.", "errors.", "html.",
    "golang.org/x/net/html.", "google.golang.org/protobuf", "net/http.MaxBytesReader", "net/textproto.", "image",
    "gopkg.in/yaml", "github.com/goccy/go-json", "github.com/json-iterator", "net/http/httputil.DumpResponse",
    "github.com/pkg/errors", "log/slog.", "k8s.io/klog", "github.com/sirupsen/logrus", "go.uber.org/zap",
)  # fmt: skip
_MOST = 3
_CLOSE = "{name}.Body.Close()"


def _acquires(op: Op) -> int | None:
    package, func = op.func.package, op.func
    name = called(op.node, func, op.file, package)
    owner, _, last = name.rpartition(".")
    if last == "Do" and _heads(func):
        return None
    if owner in ("net/http", "net/http.Client") and last in _CALLS:
        return 0
    if last == "RoundTrip" and owner in ("net/http.RoundTripper", "net/http.Transport"):
        return None  # a transport's own affair
    if name and operand(op) is not None and last in _CALLS:  # an interface with Do
        results = package.results(op.node, func, op.file)
        return 0 if results == ["*http.Response", "error"] else None
    return None


def _heads(func: Func) -> bool:
    """Tell whether a function makes HEAD requests: their answers have no body."""
    made = [op for op in func.ops if op.kind == "call" and method(op).startswith("NewRequest")]
    return any(text(value) in ('"HEAD"', "http.MethodHead") for op in made for value in op.values)


def _releases(op: Op) -> Node | None:
    return methods_named(op, "Close", "CloseWithError", "Drain")


def _ends(op: Op) -> Node | None:
    name = called(op.node, op.func, op.file, op.func.package)
    return (
        op.values[-1 if name.endswith("ReadAll") else 1]
        if name in _READS_ALL and len(op.values) > (0 if name.endswith("ReadAll") else 1)
        else None
    )


def _reads(op: Op) -> bool:
    name = called(op.node, op.func, op.file, op.func.package)
    return name.startswith(_READERS) or method(op) in ("Decode", "Printf", "Errorf", "Debugf", "Infof", "Warnf")


def _fails(op: Op) -> bool:
    return called(op.node, op.func, op.file, op.func.package) in _ERROR_ENDS


PAIR = Pair(
    acquires=_acquires,
    releases=_releases,
    reads=_reads,
    ends=_ends,
    fails=_fails,
    part=lambda name, kind: name == "Body" or kind in ("*http.Response", "io.ReadCloser", "io.Closer"),
)


def _pair(program: Program, package: Package) -> Pair:
    """Return how responses are acquired where another own package gets them: `resp, err := c.client.Fetch(path)`."""
    beside = Frame(f"{package.path}.init", package.files[0].source.name, 1)

    def acquires(op: Op) -> int | None:
        index = _acquires(op)
        return index if index is not None else _of_own(program, op, beside)

    return replace(PAIR, acquires=acquires)


def _of_own(program: Program, op: Op, beside: Frame) -> int | None:
    """Return which result of a function of another own package is a response that it got and hands up."""
    whole, _, name = called(op.node, op.func, op.file, op.func.package).rpartition(".")
    if "/" not in whole or _heads(op.func):
        return None
    path, _, kind = whole.rpartition(".") if "." in whole.rpartition("/")[2] else (whole, "", "")
    other = program.imported(path, beside)
    func = other.funcs.get((kind, name)) if other is not None else None
    if other is None or func is None or func.site("acquired", func.first).frame.owner != "own":
        return None
    return next((at_ for at_, one in enumerate(func.results) if one == "*http.Response"), None)


def reason(scene: StackInSource) -> Reason | None:
    """Return which calls of the program leave a response open."""
    if "unclosed-body" not in scene.suspect.mechanisms:
        return None
    found: list[tuple[Package, Lost, bool]] = []
    for package in scene.program.own(b'"net/http"'):
        if any("net/http" in file.imports.values() for file in package.files):
            origins = Origins()
            all_ = Acquisitions(package, _pair(scene.program, package)).lost()
            found += [(package, one, _ends_by_itself(origins, one.acquire)) for one in all_]
    endless = [one for one in found if not one[2]]
    found = endless or found  # a time limit ends the others, if late
    if not found or len(found) > _MOST:
        return None
    texts: list[Text] = [Text("cause.body.waits")]
    sites: list[CauseSite] = []
    for _, one, _ in found:
        said, lines = _texts_and_sites(one)
        texts += said
        sites += lines
    texts.append(Text("cause.body.ends" if endless else "cause.body.limited"))
    remedies = fixes.drafts(*(give_back(one, PAIR, _CLOSE) for _, one, _ in found))
    return Reason("unclosed-body", tuple(texts), tuple(sites), remedies=remedies)


def scan(package: Package, flows: Flows) -> Iterator[Reason]:
    """Yield the responses that a way through a function leaves open."""
    del flows
    if not any("net/http" in file.imports.values() for file in package.files):
        return
    for one in _left_open(package):
        said, sites = _texts_and_sites(one)
        remedies = fixes.drafts(give_back(one, PAIR, _CLOSE))
        yield Reason("unclosed-body", (*said, Text("cause.body.ends")), tuple(sites), True, remedies)


def _left_open(package: Package) -> Iterator[Lost]:
    """Yield the responses that nobody closes and that do not end by themselves."""
    origins = Origins()
    for lost in Acquisitions(package, PAIR).lost():
        if not _ends_by_itself(origins, lost.acquire):
            yield lost


def _ends_by_itself(origins: Origins, op: Op) -> bool:
    """Tell whether a time-out or the end of its context takes the connection away in the end."""
    on, package = operand(op), op.func.package
    if on is None or package.import_of(on, op.file) is not None or package.callees(op):
        return False
    if client(origins, Expr(on, op.func, op.file, package), header=False).kind == "bounded":
        return True
    if method(op) != "Do" or not op.values:
        return False
    limit = request(origins, Expr(op.values[0], op.func, op.file, package))
    cancelled = limit.where is not None and limit.where.called().startswith("context.WithCancel")
    return limit.kind in ("bounded", "cancel") or cancelled


def _texts_and_sites(lost: Lost) -> tuple[list[Text], list[CauseSite]]:
    acquire = lost.acquire
    args = {"place": place(acquire), "call": text(acquire.target), "function": acquire.func.full}
    got = acquire.func.site("acquired", acquire.line)
    if not lost.exits:
        return [Text("cause.body.dropped", args)], [acquire.func.site("never-closed", acquire.line)]
    lines = [one.step.line for one in lost.exits][:_MOST]
    sites = [got, *(lost.func.site("never-closed", number) for number in lines)]
    told = ", ".join(at(lost.func, number) for number in lines)
    if lost.handed is not None:
        more = {**args, "handed": place(lost.handed), "to": lost.func.name, "exits": told}
        return [Text("cause.body.handed", more)], sites
    case = lost.exits[0].case
    why = text(case.node.child_by_field_name("condition")) if case is not None and case.kind == "if" else ""
    key = "cause.body.left-if" if why and len(lines) == 1 else "cause.body.left"
    return [Text(key, {**args, "exits": told, "condition": why})], sites
