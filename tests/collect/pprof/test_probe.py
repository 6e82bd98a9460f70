"""Where pprof is found on a server, and what is said where it is not."""

import pytest

from collect.pprof.pretend import LOGIN, Page, index, pretend, profiles, recorded
from oakum.collect.pprof.probe import look, recount
from oakum.collect.web import HttpEndpoint
from oakum.model import Problem
from oakum.report.words.lines import problem_line

_OTHER_PAGE = b"<!doctype html><html><head><title>Shop</title></head><body><div id=root></div></body></html>"


@pytest.mark.parametrize(
    ("mounted", "given", "most"),
    [
        ("/debug/pprof", "", 1),
        ("/debug/pprof", "/debug/pprof/", 1),
        ("/debug/pprof", "/debug", 5),
        ("/orders/debug/pprof", "/orders", 7),
        ("/orders/pprof", "/orders/", 11),
        ("/dev/prof", "/dev/prof", 3),
        ("/pprof", "", 7),
        ("/admin/debug/pprof", "", 10),
        ("/_debug/pprof", "", 13),
        ("/v1/agent/pprof", "", 20),
        ("/debug/pprof", "/elsewhere", 13),
    ],
)
def test_it_is_found_in_few_requests(mounted: str, given: str, most: int) -> None:
    pages: dict[str, Page] = {f"{mounted}/{name}?seconds=0": (400, b"seconds?") for name in ("heap", "goroutineleak")}
    pages[f"{mounted}/"] = index("go1.27", 812)
    with pretend(pages) as server:
        found = look(HttpEndpoint(server.base), given).mount
    assert found is not None
    assert (found.prefix, found.goroutines) == (mounted, 812)
    assert {"goroutine", "heap", "goroutineleak"} <= found.profiles
    assert len(server.asked) <= most
    assert not any("cmdline" in asked or "vars" in asked for asked in server.asked)


@pytest.mark.parametrize("go", ["go1.19", "go1.26", "go1.27"])
def test_the_index_counts(go: str) -> None:
    with pretend({"/debug/pprof/": index(go, 45_123)}) as server:
        found = look(HttpEndpoint(server.base)).mount
    assert found is not None
    assert found.goroutines == 45_123
    assert ("goroutineleak" in found.profiles) == (go == "go1.27")


def test_the_index_of_old_go_counts_too() -> None:
    page = b"""<html><head><title>/debug/pprof/</title></head><body>/debug/pprof/<br><br>profiles:<br><table>
<tr><td align=right>0<td><a href="block?debug=1">block</a>
<tr><td align=right>97<td><a href="goroutine?debug=1">goroutine</a>
</table></body></html>"""
    with pretend({"/debug/pprof/": page}) as server:
        found = look(HttpEndpoint(server.base)).mount
    assert found is not None
    assert (found.goroutines, found.profiles) == (97, frozenset({"block", "goroutine"}))


def test_an_index_that_a_router_sent_us_on_to() -> None:
    """As chi's Profiler does, which is mounted at /ops and serves /ops/pprof/."""
    pages: dict[str, Page] = {
        "/ops/": index(),
        "/ops/pprof/": index("go1.27"),
        "/ops/pprof/heap?seconds=0": (400, b"seconds?"),
    }
    with pretend(pages) as server:
        found = look(HttpEndpoint(server.base), "/ops").mount
    assert found is not None
    assert found.prefix == "/ops/pprof"
    assert "goroutineleak" not in found.profiles  # gin and chi mount what they know by name


def test_an_index_without_profiles_is_told() -> None:
    """As of mux.HandleFunc("/prof/", pprof.Index), which answers the index for every name."""
    with pretend({f"/prof/{name}": index() for name in ("", "heap?seconds=0", "pprof/", "debug/pprof/")}) as server:
        found = look(HttpEndpoint(server.base), "/prof")
    assert found.mount is None
    assert found.problem is not None
    assert "no profile below it" in problem_line(found.problem)


def test_single_handlers_without_an_index() -> None:
    with pretend(profiles()) as server:
        found = look(HttpEndpoint(server.base)).mount
    assert found is not None
    assert found.counts is not None
    assert not found.profiles
    assert found.goroutines == int(recorded("goroutine.debug1.txt").split()[3])


def test_handlers_by_name_that_know_goroutineleak() -> None:
    """As kubelets do: no index at all, and any profile by its name."""
    with pretend({**profiles(), "/debug/pprof/goroutineleak?seconds=0": (400, b"invalid value for seconds")}) as server:
        found = look(HttpEndpoint(server.base)).mount
    assert found is not None
    assert found.profiles == {"goroutineleak"}
    assert "/debug/pprof/goroutineleak" not in server.asked  # which would run a collection


@pytest.mark.parametrize(
    ("name", "said"), [("containerd.sock", "debug.sock"), ("crio.sock", "--enable-profile-unix-socket")]
)
def test_sockets_that_are_known_are_explained(name: str, said: str) -> None:
    found = look(HttpEndpoint("http://localhost", socket=f"/nonexistent/{name}"), seconds=5)
    assert found.silent
    assert found.problem is not None
    assert said in problem_line(found.problem)


def test_a_router_that_knows_no_trailing_slash() -> None:
    with pretend({**profiles(), "/debug/pprof": index("go1.27", 5)}) as server:
        found = look(HttpEndpoint(server.base)).mount
        assert found is not None
        again = recount(HttpEndpoint(server.base), found, 5)
        assert getattr(again, "goroutines", None) == 5
    assert (found.goroutines, found.counts) == (5, None)
    assert "/debug/pprof/goroutine?debug=1" not in server.asked


def test_a_heap_alone() -> None:
    with pretend({"/debug/pprof/heap?debug=1": recorded("heap.debug1.txt")}) as server:
        found = look(HttpEndpoint(server.base)).mount
    assert found is not None
    assert (found.goroutines, found.heap is not None) == (None, True)


@pytest.mark.parametrize(
    ("otherwise", "said", "most"),
    [
        ((404, b"404 page not found\n"), "no pprof here (looked at /debug/pprof/, /pprof/, /debug/ and 12 more", 18),
        (LOGIN, 'a web page titled "Sign in" (a login, it seems) came instead of pprof', 18),
        (_OTHER_PAGE, 'a web page titled "Shop" came instead of pprof', 18),
        (b"ok", "what answers there is not pprof", 18),
        ((401, b"Unauthorized\n"), "401", 2),
        ((403, b"Forbidden\n"), "403", 2),
        ((503, b"no healthy upstream"), "503", 2),
        ((400, b"Client sent an HTTP request to an HTTPS server.\n"), "it speaks TLS; try https://", 2),
        ((405, b"Debug endpoints are disabled.\n"), "enableDebuggingHandlers: true", 18),
        ((405, b"profiling endpoint is disabled.\n"), "enableProfilingHandler: true", 18),
    ],
)
def test_what_is_said_where_there_is_none(otherwise: Page, said: str, most: int) -> None:
    with pretend({}, otherwise) as server:
        found = look(HttpEndpoint(server.base))
    assert found.mount is None
    assert found.problem is not None
    assert said in problem_line(found.problem)
    assert server.base in problem_line(found.problem)
    assert len(server.asked) <= most


def test_ports_that_may_be_anything_are_asked_little() -> None:
    with pretend({}) as server:
        assert look(HttpEndpoint(server.base), widely=False).mount is None
    assert len(server.asked) == 4


def test_nothing_listens() -> None:
    with pretend({}) as server:
        pass
    found = look(HttpEndpoint(server.base), seconds=5)
    assert found.silent
    assert found.problem is not None
    assert found.problem.key == "unreachable"


def test_a_later_count() -> None:
    with pretend({"/debug/pprof/": index(goroutines=10)}) as server:
        endpoint = HttpEndpoint(server.base)
        mount = look(endpoint).mount
        assert mount is not None
        server.pages["/debug/pprof/"] = index(goroutines=20)
        now = recount(endpoint, mount, 5)
        assert getattr(now, "goroutines", None) == 20
        server.pages.clear()
        gone = recount(endpoint, mount, 5)
        assert isinstance(gone, Problem)
        assert "an earlier snapshot was taken there" in problem_line(gone)
