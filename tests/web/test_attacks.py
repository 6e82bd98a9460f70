"""A real `oakum serve` on loopback as an attacker meets it: uploads, ids, smuggling, floods, kills. It goes on, bounded."""

import gzip
import io
import os
import re
import signal
import socket
import tarfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hostile import EVIL
from oakum.store import open_reader, open_writer
from oakum.store.checking import check
from store_kills import BEGIN, batch
from support import DEMO
from web.serving import Reply, Served, received, request, serving
from web_store import filled

pytestmark = pytest.mark.slow  # starts processes

MIB = 1 << 20
BOUNDARY = "x-boundary-of-a-test"
# The server alone takes about 200 MB with its libraries; an upload is spooled to disk, whatever its size.
MOST_MEMORY = 600 * MIB


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("attacked")
    with open_writer(folder / "store") as writer:
        filled(writer)
    (folder / "secret").write_text("root:secret-of-this-machine")
    with serving(folder / "store", folder / "log", TMPDIR=str(folder)) as found:
        yield found


class Visitor:
    """Somebody with a browser: a cookie, and the token of a form."""

    def __init__(self, served: Served) -> None:
        page = request(served, "/upload")
        self.served = served
        self.cookie = found(r"oakum-visitor=([^;]+)", page.head)
        self.token = found(r'name="form-token" value="([0-9a-f]{64})"', page.body.decode())

    def post(self, path: str, body: bytes, kind: str, **headers: str) -> Reply:
        told = {"Origin": f"http://{self.served.host}", "Cookie": f"oakum-visitor={self.cookie}", "Content_Type": kind}
        reply = request(self.served, path, "POST", body, **(told | headers))
        while reply.status == 429:  # one change a second is admitted; who is told to wait waits
            time.sleep(1)
            reply = request(self.served, path, "POST", body, **(told | headers))
        return reply

    def send(self, path: str, **fields: str) -> Reply:
        body = "&".join(f"{name}={text}" for name, text in {"form-token": self.token, **fields}.items())
        return self.post(path, body.encode(), "application/x-www-form-urlencoded")

    def upload(self, *files: tuple[bytes, bytes]) -> Reply:
        return self.post("/upload", self.parts(*files), f"multipart/form-data; boundary={BOUNDARY}")

    def parts(self, *files: tuple[bytes, bytes]) -> bytes:
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="form-token"\r\n\r\n{self.token}\r\n'.encode()
        one = b'--%s\r\nContent-Disposition: form-data; name="files"; filename="%s"\r\n\r\n%s\r\n'
        return head + b"".join(one % (BOUNDARY.encode(), *file) for file in files) + f"--{BOUNDARY}--\r\n".encode()


def found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match, text[:2000]
    return match[1]


def lives(served: Served) -> None:
    """It answers as before, within its memory, and showed no traceback."""
    assert request(served, "/services/orders").status == 200
    assert "Traceback" not in served.log.read_text()
    assert "internal-error" not in served.log.read_text()
    peak = found(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{served.process.pid}/status").read_text())
    assert int(peak) * 1024 < MOST_MEMORY


# Uploads.


def archive(*members: tarfile.TarInfo, mode: str = "w:gz") -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode) as packed:  # type: ignore[call-overload]  # a mode of tarfile
        for member in members:
            packed.addfile(member, io.BytesIO(b"g" * member.size))
    return data.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, to: str = "", size: int = 0) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, to, size
    return info


def links() -> bytes:
    return archive(
        member("goroutine.txt", tarfile.SYMTYPE, "../../../secret"),
        member("heap.pb.gz", tarfile.LNKTYPE, "/etc/passwd"),
        member("out", tarfile.SYMTYPE, "/tmp"),
        member("out/planted-by-a-test", size=9),
        member("pipe", tarfile.FIFOTYPE),
        member("device", tarfile.CHRTYPE),
    )


def absolute() -> bytes:
    return archive(member("/tmp/planted-by-a-test", size=9), member("../../planted-by-a-test", size=9))


def bomb() -> bytes:
    """A gigabyte of zeros in a megabyte, twice packed."""
    return gzip.compress(gzip.compress(bytes(MIB)) * 1024)  # parts that follow each other are one


def zipped() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in ("../../planted-by-a-test", "/tmp/planted-by-a-test", EVIL.replace("\x00", "")):
            packed.writestr(name, bytes(50 * MIB))
    return data.getvalue()


def many() -> bytes:
    return archive(*(member(f"{number}.txt") for number in range(5_000)), mode="w:gz")


@pytest.mark.parametrize("made", [links, absolute, bomb, zipped, many])
def test_archives_that_want_out_are_refused(served: Served, made: Callable[[], bytes]) -> None:
    reply = Visitor(served).upload((b"bundle.tar.gz", made()))
    assert reply.status == 422, reply.head
    assert b"secret-of-this-machine" not in reply.body
    assert b"Traceback" not in reply.body
    assert b"root:" not in reply.body
    folder = served.log.parent
    assert not list(folder.rglob("planted-by-a-test"))
    assert not Path("/tmp/planted-by-a-test").exists()
    lives(served)


NAMES = {
    "escape": b"\x1b]0;owned\x07\x1b[31m.txt",
    "right to left": "\u202etxt.exe".encode(),
    "script": b"<script>alert(1)</script>.txt",
    "quote": b"x%22 onmouseover=alert(1) .txt",
    "up": b"../../../../secret",
    "windows": b"..\\..\\secret",
    "zero": b"a%00b.txt",
    "no text": b"\xff\xfe\xfd",
    "dots": b"...",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
def test_names_of_uploads_are_text(served: Served, name: bytes) -> None:
    dump = b"goroutine 1 [chan send, 9 minutes]:\nmain.f(0x1)\n\t/srv/a.go:7 +0x1\ncreated by main.main\n\t/srv/a.go:3 +0x2\n"
    visitor = Visitor(served)
    reply = visitor.upload((name, dump))
    assert reply.status in (303, 400, 422), reply.head
    body = reply.body
    if reply.status == 303:
        body = request(served, reply.header("location")).body
    for shown in (
        b"<script>alert",
        b"\x1b",
        "\u202e".encode(),
        b'" onmouseover',
        b"Traceback",
        b"secret-of-this-machine",
    ):
        assert shown not in body
    lives(served)


def test_a_name_of_ten_megabytes(served: Served) -> None:
    assert Visitor(served).upload((b"n" * 10 * MIB, b"x")).status in (0, 400, 413, 422)  # 0: cut while it was sent
    lives(served)


def test_more_than_may_be_sent(served: Served) -> None:
    visitor = Visitor(served)
    told = {"Content_Length": str(300 * MIB)}
    kind = f"multipart/form-data; boundary={BOUNDARY}"
    assert visitor.post("/upload", b"x", kind, **told).status == 413  # refused before it comes
    assert visitor.upload(*((b"%d.txt" % number, b"x") for number in range(200))).status in (400, 413)
    assert visitor.post("/login", b"a=" + b"b" * MIB, "application/x-www-form-urlencoded").status in (400, 404, 413)
    lives(served)


def test_an_upload_without_an_end_is_cut(served: Served) -> None:
    visitor = Visitor(served)
    head = (
        f"POST /upload HTTP/1.1\r\nHost: {served.host}\r\nOrigin: http://{served.host}\r\n"
        f"Cookie: oakum-visitor={visitor.cookie}\r\nTransfer-Encoding: chunked\r\n"
        f"Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n\r\n"
    ).encode()
    first = visitor.parts((b"dump.txt", b"")).rpartition(b"\r\n--")[0]
    taken = 0
    with socket.create_connection(("127.0.0.1", served.port), timeout=60) as connection:
        connection.sendall(head + b"%x\r\n%s\r\n" % (len(first), first))
        piece = b"%x\r\n%s\r\n" % (MIB, bytes(MIB))
        try:
            while taken < 400:
                connection.sendall(piece)
                taken += 1
        except OSError:
            pass
    assert taken < 300  # 256 MiB, and what the system holds for both ends
    lives(served)


def test_who_hangs_up_is_no_error_of_ours(served: Served) -> None:
    visitor = Visitor(served)
    head = (
        f"POST /upload HTTP/1.1\r\nHost: {served.host}\r\nOrigin: http://{served.host}\r\nContent-Length: 100000\r\n"
        f"Cookie: oakum-visitor={visitor.cookie}\r\nContent-Type: multipart/form-data; boundary={BOUNDARY}\r\n\r\n"
    )
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", served.port)) as connection:
            connection.sendall(head.encode() + b"--" + BOUNDARY.encode())
        lives(served)


# Who asks.


def test_a_token_belongs_to_its_visitor(served: Served, tmp_path: Path) -> None:
    one, other = Visitor(served), Visitor(served)
    other.token, kept = one.token, other.token
    assert other.send("/services/orders/capture").status == 403
    other.token = kept.swapcase()
    assert other.send("/services/orders/capture").status == 403
    with serving(tmp_path / "none", tmp_path / "log") as elsewhere:
        one.served = elsewhere  # a cookie and a token of another process
        assert one.upload((b"a.txt", b"x")).status == 403


@pytest.mark.parametrize(
    "origin",
    ["http://127.0.0.1", "http://127.0.0.1:1", "https://{host}", "http://{host}.evil.example", "http://{host}/", ""],
)
def test_other_origins_change_nothing(served: Served, origin: str) -> None:
    visitor = Visitor(served)
    body = f"form-token={visitor.token}".encode()
    told = {"Origin": origin.format(host=served.host)}
    assert visitor.post("/services/orders/capture", body, "application/x-www-form-urlencoded", **told).status == 403


@pytest.mark.parametrize(
    "path",
    [
        "/evidence/" + "0" * 64, "/evidence/..%2f..%2fsecret", "/evidence/%2e%2e%2fsecret?raw=1", "/evidence/manifest.json",
        "/diagnoses/" + "f" * 64, "/diagnoses/..%2f..%2fsecret", "/diagnoses/" + "0" * 64 + "/..%2fsecret",
        "/incidents/..%2f..%2f..%2fsecret", "/incidents/%2fetc%2fpasswd/page", "/held/..", "/held/..%2fsecret",
        "/held/.%2e/report.html", "/compare?before=../../secret@1&after=/etc/passwd@2", "/services/..%2fsecret",
        "/services/orders/diff?before=..%2fsecret&after=%2fetc%2fpasswd", "/api/v1/services/..%2fsecret/series",
        "/known/..%2f..%2fsecret", "/services/orders'%20OR%201=1--", "/api/v1/services/x'%20UNION%20SELECT%201--/places",
    ],
)  # fmt: skip
def test_ids_lead_nowhere_but_into_the_store(served: Served, path: str) -> None:
    reply = request(served, path)
    assert reply.status in (200, 400, 404, 422), reply.head  # 200: a comparison says that there is no such snapshot
    assert b"secret-of-this-machine" not in reply.body
    assert b"root:" not in reply.body
    assert str(served.log.parent).encode() not in reply.body
    lives(served)


SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: {host}\r\n\r\n"
POST = b"POST /login HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"


@pytest.mark.parametrize(
    "data",
    [
        POST + b"Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
        POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + SMUGGLED,
        POST + b"Transfer-Encoding: xchunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + SMUGGLED,
        POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
        POST + b"Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
        POST + b"Content-Length: 0\r\nContent-Length: 60\r\n\r\n" + SMUGGLED,
        POST + b"Content-Length: +0\r\n\r\n" + SMUGGLED,
        POST + b"Content-Length: 0x3\r\n\r\nabc" + SMUGGLED,
        POST + b"Content-Length: 0, 60\r\n\r\n" + SMUGGLED,
        POST + b"X: y\r\n Content-Length: 0\r\n\rZ\n" + SMUGGLED,
        POST + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffffff\r\n" + SMUGGLED,
        POST + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n" + SMUGGLED,
        b"GET / HTTP/1.1\r\nHost: {host}\r\nX: a\x00b\r\n\r\n" + SMUGGLED,
        b"GET / HTTP/0.9\r\n\r\n" + SMUGGLED,
        b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n" + SMUGGLED,
        b"GET /x HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n" + SMUGGLED,
    ],
    ids=["CL.TE", "TE twice", "TE unknown", "TE space", "TE tab", "CL twice", "CL plus", "CL hex", "CL list", "folded",
         "chunk overflow", "chunk negative", "zero in header", "old", "absolute", "host then close"],
)  # fmt: skip
def test_no_request_hides_in_another(served: Served, data: bytes) -> None:
    data = data.replace(b"{host}", served.host.encode())
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        reply = received(connection)
    assert 400 <= reply.status < 500, reply.head
    assert b"HTTP/1.1 " not in reply.body  # one answer, not a second one for what was inside
    lives(served)


def test_wrong_tokens_of_a_form_are_not_tried_for_ever(tmp_path: Path) -> None:
    with serving(tmp_path / "none", tmp_path / "log", OAKUM_SERVE_TOKEN="right-token-of-a-test") as served:
        page = request(served, "/login")
        told = {
            "Origin": f"http://{served.host}",
            "Cookie": f"oakum-visitor={found(r'oakum-visitor=([^;]+)', page.head)}",
            "Content_Type": "application/x-www-form-urlencoded",
        }
        token = found(r'name="form-token" value="([0-9a-f]{64})"', page.body.decode())
        tried = [
            request(served, "/login", "POST", f"form-token={token}&token=guess{number}".encode(), **told).status
            for number in range(30)
        ]
        assert tried[:10] == [403] * 10
        assert set(tried[12:]) <= {403, 429}
        assert 429 in tried[10:]
        assert request(served, "/", Cookie="oakum-session=" + "A" * 43).status == 303
        said = served.log.read_text()
        assert "guess" not in said
        assert len(said.splitlines()) < 8  # once each


# Floods.


def test_idle_and_slow_connections_end(served: Served) -> None:
    """300 that say nothing or a byte now and then: more than it takes. They go, and others are answered."""
    before = len(served.lines())
    idle = [socket.create_connection(("127.0.0.1", served.port), timeout=60) for _ in range(300)]
    try:
        for one in idle[:50]:
            try:
                one.sendall(b"GET / HTTP/1.1\r\nX: ")
            except OSError:
                continue
        for one in idle:  # each is closed by the server, without an answer
            try:
                assert one.recv(100).partition(b"\r\n")[0] in (b"", b"HTTP/1.1 400 Bad Request")
            except ConnectionResetError:
                continue
    finally:
        for one in idle:
            one.close()
    lives(served)
    assert len(served.lines()) - before <= 3


def test_a_head_that_drips_is_cut(served: Served) -> None:
    """A byte a second is something all the time: what counts is when the head is whole."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=60) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: " + served.host.encode() + b"\r\nX: ")
        cut = False
        for _ in range(120):  # a minute
            try:
                connection.sendall(b"a")
            except OSError:  # reset or broken pipe
                cut = True
                break
            time.sleep(0.5)
    assert cut
    lives(served)


def test_a_body_that_drips_is_cut(served: Served) -> None:
    visitor = Visitor(served)
    head = (
        f"POST /upload HTTP/1.1\r\nHost: {served.host}\r\nOrigin: http://{served.host}\r\nContent-Length: 100000\r\n"
        f"Cookie: oakum-visitor={visitor.cookie}\r\nContent-Type: multipart/form-data; boundary={BOUNDARY}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", served.port), timeout=120) as connection:
        connection.sendall(head.encode() + b"--" + BOUNDARY.encode())
        assert received(connection).status == 408
    lives(served)


# Kills.


def stored(directory: Path) -> int:
    """Return how many batches a store has that is whole."""
    checked = check(directory)
    assert not checked.problems, [one.key for one in checked.problems]
    with open_writer(directory) as writer:
        return writer.batches


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_killed_while_an_upload_is_kept_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    """Killed ever later while `keep` runs: what was answered with a page is in the store, which is whole."""
    store = tmp_path / "store"
    with open_writer(store) as writer:
        filled(writer)
    dump = gzip.decompress((DEMO / "during.goroutine.txt.gz").read_bytes())
    acknowledged = []
    for number, delay in enumerate((0.0, 0.4, 0.8, 1.2, 1.6, 2.4, None)):
        service = f"kept-{number}"
        with serving(store, tmp_path / "log", TMPDIR=str(tmp_path)) as served:
            visitor = Visitor(served)
            more = b"\ngoroutine 9%05d [select]:\nmain.more()\n\t/srv/more.go:1 +0x1\n" % number
            held = visitor.upload((b"dump.txt", dump + more)).header("location")
            assert held
            replies: list[Reply] = []
            keeper = threading.Thread(target=_keep, args=(visitor, f"{held}/keep", service, replies))
            keeper.start()
            if delay is None:
                keeper.join(120)
            else:
                time.sleep(delay)
            served.process.send_signal(signal.SIGKILL)
            served.process.wait()
            keeper.join(60)
        if replies and replies[0].status == 200 and f"/services/{service}".encode() in replies[0].body:
            acknowledged.append(service)
        until = time.monotonic() + 60
        while _workers_of(tmp_path) and time.monotonic() < until:
            time.sleep(0.05)
        assert not _workers_of(tmp_path)  # nobody works for a server that is gone
        stored(store)
        with open_reader(store) as reader:
            assert [one for one in acknowledged if not reader.snapshots(one)] == []
    assert "kept-6" in acknowledged
    with serving(store, tmp_path / "log", TMPDIR=str(tmp_path)) as served:
        assert request(served, "/services/kept-6").status == 200
        left = [one for one in tmp_path.glob("oakum-serve-*") if one.is_dir()]
    assert len(left) <= 1, left  # what killed servers left behind, the next one removes


def _keep(visitor: Visitor, address: str, service: str, replies: list[Reply]) -> None:
    replies.append(visitor.send(address, service=service))


def _workers_of(folder: Path) -> list[str]:
    """Return the processes whose temporary files are in a folder of this test."""
    told = []
    for one in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"TMPDIR={folder}\0".encode() in one.read_bytes():
                told.append(one.parent.name)
        except OSError:
            continue
    return told


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_killed_while_a_watcher_writes_nothing_is_lost(tmp_path: Path) -> None:
    """The server only reads: the writer beside it never notices, nor what readers ask meanwhile."""
    with open_writer(tmp_path / "store") as writer:
        done = threading.Event()
        written = 0

        def write() -> None:
            nonlocal written
            while not done.is_set():
                writer.append(batch(written, ""))
                writer.maintain(BEGIN)
                written += 1

        thread = threading.Thread(target=write)
        thread.start()
        try:
            for _ in range(3):
                with serving(tmp_path / "store", tmp_path / "log") as served:
                    assert request(served, "/").status == 200
                    with socket.create_connection(("127.0.0.1", served.port)) as asking:
                        asking.sendall(f"GET /services/s HTTP/1.1\r\nHost: {served.host}\r\n\r\n".encode())
                        served.process.send_signal(signal.SIGKILL)
                        served.process.wait()
        finally:
            done.set()
            thread.join(60)
    assert written > 0
    assert stored(tmp_path / "store") == written
