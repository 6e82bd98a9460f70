"""Known leaks of a build: which module tells it, what is linked, and what to upgrade to."""

from collections.abc import Iterable

import pytest

from oakum.knowledge.affected import Affected
from oakum.knowledge.carried import carried
from oakum.knowledge.leaks import leaks
from oakum.knowledge.upgrades import upgrades
from oakum.model import Build, Carried

LEAF = "k8s.io/apimachinery/pkg/watch.(*StreamWatcher).receive"


def row(build: Build, id_: str = "kubernetes-98653", linked: Iterable[str] | None = None) -> Carried | None:
    asks = None if linked is None else lambda names: frozenset(names) & frozenset(linked)
    return next((one for one in carried(build, "x", asks) if one.id == id_), None)


def test_a_module_of_the_build() -> None:
    found = row(Build(modules={"k8s.io/apimachinery": "v0.18.8"}, lines={"k8s.io/apimachinery": 7}))
    assert found is not None
    assert (found.module, found.found, found.upgrade_to, found.line) == ("k8s.io/apimachinery", "v0.18.8", "v0.21.0", 7)
    assert found.certain
    assert row(Build(modules={"k8s.io/apimachinery": "v0.21.0"})) is None
    assert row(Build(modules={"k8s.io/api": "v0.18.8"})) is None
    assert row(Build(main="k8s.io/apimachinery", linked=False)) is None  # its own go.mod
    own = row(Build(main="k8s.io/apimachinery", main_version="(devel)"))
    assert own is not None
    assert own.doubt == "no-version"


def test_a_part_of_kubernetes_is_told_as_kubernetes() -> None:
    build = Build(
        main="k8s.io/kubernetes",
        main_version="(devel)",
        modules={"k8s.io/apimachinery": "v0.0.0", "k8s.io/client-go": "v0.0.0"},
        replaced={"k8s.io/apimachinery": "./staging/src/k8s.io/apimachinery"},
        settings={"-ldflags": "-X k8s.io/component-base/version.gitVersion=v1.18.8"},
    )
    found = row(build)
    assert found is not None
    assert (found.module, found.found, found.upgrade_to) == ("k8s.io/kubernetes", "v1.18.8", "v1.21.0")
    rows = carried(build, "x")
    assert {one.module for one in rows if one.certain} <= {"k8s.io/kubernetes", "std"}
    (change,) = [one for one in upgrades(rows) if one.module == "k8s.io/kubernetes"]
    assert change.product
    assert set(change.fixes) == {one.id for one in rows if one.mendable and one.module != "std"}


@pytest.mark.parametrize(
    ("linked", "expected"),
    [(None, None), ([LEAF], True), (["k8s.io/apimachinery/pkg/watch.NewStreamWatcher"], False), ([], False)],
)
def test_what_is_linked(linked: list[str] | None, expected: bool | None) -> None:
    found = row(Build(modules={"k8s.io/apimachinery": "v0.18.8"}), linked=linked)
    assert found is not None
    assert found.linked is expected


def test_the_code_of_a_peer_is_not_the_leaking_code() -> None:
    """A shim has the ttrpc server, in which handlers pile up; what leaks is the client."""
    build = Build(modules={"github.com/containerd/ttrpc": "v1.0.1"})
    server = row(build, "ttrpc-94", ["github.com/containerd/ttrpc.(*serverConn).run"])
    client = row(build, "ttrpc-94", ["github.com/containerd/ttrpc.(*receiver).run"])
    assert server is not None
    assert client is not None
    assert (server.linked, client.linked) == (False, True)


def test_the_lowest_release_that_mends_all() -> None:
    """v1.16.1 fixes nothing that v1.16.2 does not: a fix of one line may be missing in the next."""
    rows = carried(Build(modules={"k8s.io/apiserver": "v0.15.1"}), "x")
    (change,) = upgrades(rows)
    mended = [one for id_ in change.fixes for one in leaks().entry(id_).affects if one.module == "k8s.io/apiserver"]
    assert len(mended) > 1
    assert all(one.has(change.version) == "no" for one in mended)
    alone = upgrades([one for one in rows if one.id == "kubernetes-83333"])
    assert alone[0].version == "kubernetes-1.15.5"  # what the go command has before v0.17.0


@pytest.mark.parametrize(
    ("affected", "ranges"),
    [
        (Affected("m", ("v1.2.0",)), (("", "v1.2.0"),)),
        (Affected("m"), (("", ""),)),
        (Affected("m", introduced="v1.1.0"), (("v1.1.0", ""),)),
        (
            Affected("m", ("v1.14.8", "v1.15.5", "v1.16.2", "v1.17.0"), "v1.10.8"),
            (("v1.10.8", "v1.14.8"), ("v1.15.0", "v1.15.5"), ("v1.16.0", "v1.16.2")),
        ),
        (Affected("m", ("v1.5.8", "v1.8.0")), (("", "v1.5.8"), ("v1.6.0", "v1.8.0"))),
    ],
)
def test_ranges(affected: Affected, ranges: tuple[tuple[str, str], ...]) -> None:
    assert affected.ranges() == ranges


def test_ranges_say_what_the_versions_say() -> None:
    """Every release just at the ends of a range is asked."""
    for entry in leaks().entries:
        for one in entry.affects:
            for begin, end in one.ranges():
                assert not begin or one.has(begin) == "yes", (entry.id, begin)
                assert not end or one.has(end) == "no", (entry.id, end)
