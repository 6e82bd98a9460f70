"""A server -> where on it net/http/pprof is: the path, which profiles there are, how many goroutines.

Few requests, and an answer counts only when it is what it should be. The index tells the goroutines without stopping
anything; where only single handlers are mounted, goroutine?debug=1 counts them, and that answer is kept.
"""

import html
import re
from collections.abc import Iterator
from time import monotonic
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from oakum.collect.pprof.shapes import opened, shape
from oakum.collect.web import Answer, HttpEndpoint
from oakum.model import Problem, Text, Unreachable

STANDARD = "/debug/pprof"
# Where people mount it: gin, echo and fiber with a prefix of their own, admin routers, Vault, Nomad.
USUAL = (
    STANDARD, "/pprof", "/debug", "/dev/pprof", "/admin/debug/pprof", "/api/debug/pprof", "/internal/debug/pprof",
    "/_debug/pprof", "/-/debug/pprof", "/-/pprof", "/admin/pprof", "/internal/pprof", "/actuator/pprof",
    "/v1/sys/pprof", "/v1/agent/pprof",
)  # fmt: skip
_INDEX_MOST = 1 << 20
# <td>812</td><td><a href='goroutine?debug=1'>   <td align=right>812<td><a href="/debug/pprof/goroutine?debug=1">
_ROW = re.compile(r"""<td[^>]{0,40}>\s*(\d{1,12})?\s*(?:</td>\s*)?<td>\s*<a href=['"]?([\w.%/-]{1,200})\?debug=1""")
# goroutine profile: total 812
_TOTAL = re.compile(rb"\Agoroutine profile: total (\d{1,12})\s")


class Mount(Struct, frozen=True, eq=False):
    prefix: str  # "/debug/pprof"
    profiles: frozenset[str] = frozenset()  # as its index lists them; without one, only goroutineleak is known of
    goroutines: int | None = None
    counts: Answer | None = None  # goroutine?debug=1, where it was what counted them
    heap: Answer | None = None  # heap?debug=1, where that alone is served

    @property
    def head(self) -> str:
        """Return what stands before /debug/pprof, or before /pprof: below it lies what else the program serves."""
        return self.prefix.removesuffix(STANDARD) if STANDARD in self.prefix else self.prefix.rpartition("/")[0]


class Look(Struct, frozen=True, eq=False):
    mount: Mount | None
    problem: Problem | None = None  # why there is none
    silent: bool = False  # the server did not answer at all


def look(endpoint: HttpEndpoint, given: str = "", seconds: float = 30.0, widely: bool = True) -> Look:
    """Return where pprof is: at the given path or below it, else (widely) at the usual ones."""
    given = given.rstrip("/")
    seen: list[tuple[str, Answer]] = []
    refusals = 0
    until = monotonic() + seconds  # for all of it, but that what is asked for may take as long
    try:
        for prefix in dict.fromkeys(_places(given, widely)):
            if refusals > 1 or (seen and monotonic() > until):  # it refuses whatever it is asked, or creeps
                break
            main = prefix == STANDARD or bool(given and prefix.startswith(given))
            mount, answers = _at(endpoint, prefix, seconds, thoroughly=main)
            if mount is not None:
                return Look(mount)
            seen += answers
            refusals += _refuses(answers[0][1])
    except Unreachable as error:
        if not seen:
            return Look(None, _silent(endpoint, error.text), silent=True)
        return Look(None, Problem.of("no-pprof.broken-off", error=error.text))
    return Look(None, _why(endpoint, seen))


def _silent(endpoint: HttpEndpoint, said: Text) -> Problem:
    """Return that nobody answers, and what helps: whose socket it is, or where else pprof listens."""
    if by_socket := _BY_SOCKET.get(_socket_name(endpoint)):
        return Problem.of("unreachable.socket", error=said, how=Text(f"problem.how.{by_socket}"))
    if said.args.get("why") != Text("web.refused"):
        return Problem.of("unreachable", error=said)
    here = urlsplit(endpoint.address).hostname in ("localhost", "127.0.0.1", "::1")
    return Problem.of("unreachable.local" if here else "unreachable.remote", error=said)


def recount(endpoint: HttpEndpoint, mount: Mount, seconds: float) -> Mount | Problem:
    """Return the same place with the goroutines of now, or why it cannot be said; a later snapshot of a series."""
    try:
        found, answers = _at(endpoint, mount.prefix, seconds, thoroughly=True)
    except Unreachable as error:
        return Problem.of("unreachable", error=error.text)
    return found or _answered(endpoint.url(mount.prefix + "/"), answers[0][1], before=True)


def goroutines_in(data: bytes) -> int | None:
    """Return what goroutine?debug=1 says of the number of goroutines."""
    found = _TOTAL.match(data)
    return int(found[1]) if found else None


def _places(given: str, widely: bool) -> Iterator[str]:
    if given:
        yield given
        if not given.endswith("pprof"):
            below = (STANDARD, "/pprof") if not given.endswith("debug") else ("/pprof",)
            yield from (f"{given}{place}" for place in below)
    if widely or not given:
        yield STANDARD
    if widely:
        yield from USUAL


def _at(
    endpoint: HttpEndpoint, prefix: str, seconds: float, thoroughly: bool
) -> tuple[Mount | None, list[tuple[str, Answer]]]:
    """Return pprof at a path, if it is there, and what was answered."""
    answer = endpoint.get(f"{prefix}/", seconds=seconds, most=_INDEX_MOST)
    seen = [(f"{prefix}/", answer)]
    if thoroughly and prefix and answer.status == 404:  # routers that know no trailing slash
        answer = endpoint.get(prefix, seconds=seconds, most=_INDEX_MOST)
    if answer.good and shape(answer.data) == "index":
        return _profiles_of(endpoint, _index(prefix, answer), seconds), seen
    if not thoroughly or _refuses(answer):
        return None, seen
    counts = endpoint.get(f"{prefix}/goroutine", {"debug": "1"}, seconds=seconds)
    if counts.good and shape(counts.data) == "counts":
        # Kubelets serve all by their names, and have no index: of this one it has to be known beforehand.
        known = frozenset({"goroutineleak"} if _serves(endpoint, f"{prefix}/goroutineleak", seconds) else ())
        return Mount(prefix, known, goroutines_in(opened(counts.data, 1 << 10)), counts), seen
    heap = endpoint.get(f"{prefix}/heap", {"debug": "1"}, seconds=seconds)
    if heap.good and shape(heap.data) == "heap":
        return Mount(prefix, heap=heap), seen
    return None, [*seen, (f"{prefix}/goroutine?debug=1", counts)]


def _profiles_of(endpoint: HttpEndpoint, mount: Mount, seconds: float) -> Mount | None:
    """Return an index with what it really serves; None when that is nothing.

    A router may have sent us on to it (chi does), and Go's own index finds profiles by name at the usual place alone.
    """
    if mount.prefix == STANDARD:
        return mount
    if not _serves(endpoint, f"{mount.prefix}/heap", seconds):
        return None
    if "goroutineleak" in mount.profiles and not _serves(endpoint, f"{mount.prefix}/goroutineleak", seconds):
        return replace(mount, profiles=mount.profiles - {"goroutineleak"})
    return mount


def _serves(endpoint: HttpEndpoint, path: str, seconds: float) -> bool:
    """Tell whether a profile is served, without taking it: over zero seconds none can be, and nothing runs.

    One that exists refuses (400); Go before 1.14 does not know it, and answers.
    """
    answer = endpoint.get(path, {"seconds": "0"}, seconds=seconds)
    return answer.status == 400 or (answer.good and shape(answer.data) in ("profile", "heap"))


def _index(prefix: str, answer: Answer) -> Mount:
    page = opened(answer.data, _INDEX_MOST).decode("utf-8", "replace")
    rows = {_name(unquote(html.unescape(link))): count for count, link in _ROW.findall(page)[:200]}
    counted = rows.get("goroutine")
    return Mount(prefix, frozenset(rows), int(counted) if counted else None)


def _name(link: str) -> str:
    """Return the profile that a link of an index leads to: goroutine, ./goroutine, /debug/pprof/goroutine."""
    return link.rsplit("/", 1)[-1] if link.startswith("/") else link.removeprefix("./")


def _refuses(answer: Answer) -> bool:
    return answer.status in (400, 401, 403, 407, 429) or answer.status >= 500


def _why(endpoint: HttpEndpoint, seen: list[tuple[str, Answer]]) -> Problem:
    """Return why no pprof was found: a refusal says most, then what came instead at the first place, then a 404."""
    telling = [one for one in seen if _disabled(one[1]) or _refuses(one[1]) or 300 <= one[1].status < 400]
    if not telling and seen[0][1].good:
        telling = seen
    if telling:
        return _answered(endpoint.url(telling[0][0]), telling[0][1])
    places = [path for path, _ in seen if path.endswith("/")]
    how = Text(f"problem.how.{_usual_reason(endpoint)}")
    looked = Text("problem.part.and-more", {"names": ", ".join(places[:3]), "more": len(places) - 3})
    shown = looked if len(places) > 3 else ", ".join(places)
    return Problem.of("no-pprof.usual", target=endpoint.address.rstrip(":"), places=shown, how=how)


def _disabled(answer: Answer) -> str:
    said = opened(answer.data, 512).decode("utf-8", "replace").lower() if not answer.good else ""
    return next((name for words, name in _SAID_BY_KUBELET if words in said), "")


def _answered(url: str, answer: Answer, before: bool = False) -> Problem:
    """Return that what a server answered is no pprof; `before`: in an earlier snapshot it was."""
    variant, args = _read_answer(answer)
    if before:
        return Problem.of("no-pprof.gone", why=Text(f"problem.no-pprof.{variant}", {"url": url, **args}))
    return Problem.of(f"no-pprof.{variant}", url=url, **args)


def _read_answer(answer: Answer) -> tuple[str, dict[str, Text]]:
    if reason := _disabled(answer):
        return reason, {}
    if not answer.good:
        return "refused", {"why": answer.fault}
    if shape(answer.data) == "index":
        return "index", {}
    return ("page", {"page": answer.page}) if answer.page else ("other", {})


def _socket_name(endpoint: HttpEndpoint) -> str:
    return (endpoint.socket or "").rpartition("/")[2]


def _usual_reason(endpoint: HttpEndpoint) -> str:
    return _BY_SOCKET.get(_socket_name(endpoint)) or _BY_PORT.get(endpoint.base.rsplit(":", 1)[-1], "anywhere")


# What a kubelet says -> which variant of no-pprof it is.
_SAID_BY_KUBELET = (
    ("debug endpoints are disabled", "kubelet-debug"),
    ("profiling endpoint is disabled", "kubelet-profiling"),
)
# Whose pprof is usually missing there -> problem.how.NAME, which says how it is served.
_BY_SOCKET = {"containerd.sock": "containerd", "crio.sock": "crio"}
_BY_PORT = {
    "2379": "etcd", "2381": "etcd-metrics", "6443": "kube-apiserver", "10249": "kube-proxy", "10250": "kubelet",
    "10256": "kube-proxy-health", "10257": "kube-controller-manager", "10259": "kube-scheduler",
}  # fmt: skip
