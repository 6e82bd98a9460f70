"""Which processes are connected, by lists of sockets: of one process, of a machine, through a Service, by a path."""

from types import MappingProxyType

from oakum.detect.chains.wiring import Wiring
from oakum.model import Case, Process, Snapshot, Socket, Sockets, Source
from oakum.model.case import Identity

SOURCE = Source("ss.txt", "sha256:00")


def tcp(local: str, peer: str, state: str = "ESTAB", **more: object) -> Socket:
    return Socket("tcp", state, 0, 0, local, peer, **more)  # type: ignore[arg-type]  # fields by their names


def process(id_: str, name: str, *rows: Socket, pid: int | None = None) -> Process:
    sockets = Sockets(rows, pid) if rows else None
    sources = MappingProxyType({"sockets": SOURCE}) if rows else MappingProxyType({})
    return Process(id_, name, (Snapshot("1", sockets=sockets, sources=sources, identity=Identity(pid=pid)),))


def wiring(*processes: Process, machine: tuple[Socket, ...] = ()) -> Wiring:
    lists = ((SOURCE, Sockets(machine)),) if machine else ()
    return Wiring(Case(processes, sockets=lists), processes)


def test_both_ends_of_a_connection_are_a_pair() -> None:
    shop = process("p1", "shop", tcp("10.0.0.5:41000", "10.0.0.7:8080"), pid=5)
    stock = process("p2", "stock", tcp("10.0.0.7:8080", "10.0.0.5:41000"), pid=7)
    other = process("p3", "other", tcp("10.0.0.7:8081", "10.0.0.5:41001"), pid=8)
    found = wiring(shop, stock, other)
    assert found.between(shop, stock) is not None
    assert found.between(stock, shop) is not None
    assert found.between(shop, other) is None


def test_a_service_between_rewrites_only_the_address_that_was_called() -> None:
    shop = process("p1", "shop", tcp("10.1.0.5:41000", "10.96.0.10:80"), pid=1)
    stock = process("p2", "stock", tcp("10.1.0.7:8080", "10.1.0.5:41000"), pid=1)
    assert wiring(shop, stock).between(shop, stock) is not None


def test_rows_of_a_machine_are_told_apart_by_name_where_no_pid_is_known() -> None:
    rows = (
        tcp("127.0.0.1:41000", "127.0.0.1:8080", pid=5, name="shop"),
        tcp("127.0.0.1:8080", "127.0.0.1:41000", pid=7, name="a-long-name-of-"),
        tcp("127.0.0.1:8080", "0.0.0.0:*", "LISTEN", pid=7, name="a-long-name-of-"),
    )
    shop, stock = process("p1", "shop"), process("p2", "a-long-name-of-a-service")
    assert wiring(shop, stock, machine=rows).between(shop, stock) is not None
    twice = (*rows, tcp("127.0.0.1:9", "127.0.0.1:10", pid=6, name="shop"))
    assert wiring(shop, stock, machine=twice).between(shop, stock) is None  # two of that name: which one, nobody says


def test_queues_that_do_not_move_are_counted() -> None:
    full = Socket("u_str", "ESTAB", 166_664, 227_840, "*", "*", 11, 12, pid=1)
    shim = Socket("u_str", "ESTAB", 202_985, 220_672, "/run/shim.sock", "*", 12, 11, pid=2)
    lists = tuple((SOURCE, Sockets((full, shim))) for _ in range(3))
    one, other = process("p1", "containerd", pid=None), process("p2", "shim", pid=None)
    named = tuple((source, Sockets((_named(full, "containerd"), _named(shim, "shim")))) for source, _ in lists)
    found = Wiring(Case((one, other), sockets=named), (one, other)).between(one, other)
    assert found is not None
    assert found.same_queues == 3


def _named(row: Socket, name: str) -> Socket:
    return Socket(
        row.kind,
        row.state,
        row.received,
        row.sent,
        row.local,
        row.peer,
        row.inode,
        row.peer_inode,
        pid=row.pid,
        name=name,
    )


def test_who_was_not_captured_is_known_by_its_address() -> None:
    rows = (
        tcp("10.0.0.5:80", "0.0.0.0:*", "LISTEN"),
        tcp("10.0.0.5:80", "10.0.0.99:40000"),
        tcp("10.0.0.5:41000", "10.0.0.7:8080"),
        tcp("10.0.0.5:41001", "10.0.0.7:8080"),
        tcp("10.0.0.5:41002", "10.0.0.9:5432", peer_pid=77, peer_name="postgres"),
    )
    shop = process("p1", "shop", *rows, pid=5)
    first, second = wiring(shop).asked(shop)
    assert (first.about, first.connections) == ("tcp:10.0.0.7:8080", 2)
    assert (second.about, second.title) == ("pid:77", "postgres (pid 77)")
