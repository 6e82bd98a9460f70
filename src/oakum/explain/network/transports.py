"""Why are there ever more idle connections? A transport that is made for each call, and never used again.

Comes in: goroutines of idle connections of net/http. Goes out: where own code makes an http.Transport again and again
without a time-out for idle connections; None where one is made once, closes its connections, or keeps none.
"""

from collections.abc import Iterator

from oakum.explain.code import kinds
from oakum.explain.code.calls import place
from oakum.explain.code.nouns import Op
from oakum.explain.code.package import Package
from oakum.explain.code.syntax import text
from oakum.explain.reason import Reason, StackInSource
from oakum.explain.workers.starting import once
from oakum.model import Text

_IDLE = ("net/http.(*persistConn).readLoop", "net/http.(*persistConn).writeLoop")
_ENDS = ("IdleConnTimeout", "DisableKeepAlives")  # fields by which connections end, or are not kept
_MOST = 3


def reason(scene: StackInSource) -> Reason | None:
    """Return where a transport is made for each call."""
    if not scene.suspect.kinds.has("idle-connections") or not any(
        frame.function in _IDLE for frame in scene.trace.frames
    ):
        return None
    found = [
        op
        for package in scene.program.own(b'"net/http"')
        if not any("CloseIdleConnections" in text(file.root) for file in package.files)
        for op in _made(package)
        if not once(scene.program, op)
    ]
    if not 0 < len(found) <= _MOST:
        return None
    texts = [Text("cause.transport.each", {"function": op.func.full, "place": place(op)}) for op in found]
    texts.append(Text("cause.transport.endless"))
    sites = tuple(op.func.site("made", op.line) for op in found)
    return Reason("unstopped-worker", tuple(texts), sites, endless=True)


def _made(package: Package) -> Iterator[Op]:
    """Yield the literals of transports whose idle connections nothing ends."""
    for func in package.all:
        names = {name for name, path in func.file.imports.items() if path == "net/http"}
        for op in func.ops:
            name, _, kind = kinds.base(text(op.target)).partition(".") if op.kind == "composite" else ("", "", "")
            if kind == "Transport" and name in names and not any(one in text(func.node) for one in _ENDS):
                yield op
