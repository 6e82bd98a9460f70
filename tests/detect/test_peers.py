"""Peers: two processes that write at each other are one cause."""

from goroutine_text import MAIN, WRITE, crew, dump, process
from oakum.detect.peers import join_peers
from oakum.diagnose import diagnose
from oakum.model import Case, Diagnosis, Process

LIBRARY = "/go/pkg/mod/github.com/containerd/ttrpc@v1.0.1"


def _side(function: str, count: int, name: str, package: str = "github.com/containerd/ttrpc") -> Process:
    frames = (
        *WRITE,
        f"{package}.(*channel).send@{LIBRARY}/channel.go:131",
        f"{package}.{function}@{LIBRARY}/server.go:440",
    )
    stuck = [dump(MAIN, crew(range(20, 20 + count), "IO wait", *frames, minutes=10 + at)) for at in range(2)]
    return process(*stuck, name=name)


def _of(*processes: Process) -> Diagnosis:
    return diagnose(Case(processes))


def test_both_ends_that_write_are_one_finding() -> None:
    said = _of(_side("(*serverConn).run", 3, "p1"), _side("(*Client).run", 9, "p2"))
    (found,) = said.findings
    assert found.mechanism == "peer-stopped-reading"
    blocked = [(site.process, site.count) for site in found.suspect.sites if site.role == "blocked"]
    assert blocked == [("p2", 9), ("p1", 3)]  # where more pile up comes first
    captures = {one.capture for one in found.suspect.evidence}
    assert len(captures) > 1  # each process speaks for its end


def test_another_mechanism_is_another_finding() -> None:
    stuck = [dump(MAIN, crew(range(20, 29), "chan send", "main.(*desk).ask", minutes=10 + at)) for at in range(2)]
    said = _of(_side("(*serverConn).run", 3, "p1"), process(*stuck, name="p2"))
    assert {one.mechanism for one in said.findings} == {"peer-stopped-reading", "abandoned-sender"}


def test_writers_of_two_libraries_have_nothing_to_do_with_each_other() -> None:
    one, other = _side("(*serverConn).run", 3, "p1"), _side("(*Client).run", 9, "p2", "example.com/wire/line")
    assert len(_of(one, other).findings) == 2


def test_nobody_to_join() -> None:
    assert join_peers([]) == []
