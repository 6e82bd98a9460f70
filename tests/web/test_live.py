"""What comes while a page is open: snapshots as they are written; and who is slow is not waited for."""

import socket
from pathlib import Path

import pytest

from oakum.store import Batch, SnapshotRow, open_writer
from web.serving import received, request, serving
from web_store import END, filled


def test_snapshots_come_as_they_are_written(tmp_path: Path) -> None:
    with open_writer(tmp_path / "store") as writer:
        filled(writer)
        with serving(tmp_path / "store", tmp_path / "log") as served:
            with socket.create_connection(("127.0.0.1", served.port), timeout=60) as connection:
                head = f"GET /services/orders/live/events HTTP/1.1\r\nHost: {served.host}\r\n\r\n"
                connection.sendall(head.encode())
                data = b""
                while b"retry: 5000" not in data:
                    data += connection.recv(4096)
                assert b"text/event-stream" in data
                row = SnapshotRow(run="new", service="orders", at=END + 1, goroutines=4321)
                writer.append(Batch(snapshots=(row,)))
                while b"4321" not in data:
                    piece = connection.recv(4096)
                    assert piece, data
                    data += piece
                assert f"id: {END + 1}\nevent: snapshot\ndata: ".encode() in data
            assert request(served, "/services/none/live/events").status == 404


@pytest.mark.slow
@pytest.mark.parametrize("begin", [b"", b"GET / HTTP/1.1\r\nHost: x", b"GET / HTTP/1.1\r\n"])
def test_a_head_that_does_not_end_is_not_waited_for(tmp_path: Path, begin: bytes) -> None:
    with serving(tmp_path / "none", tmp_path / "log") as served:
        with socket.create_connection(("127.0.0.1", served.port), timeout=60) as connection:
            connection.sendall(begin)
            assert received(connection).status in (0, 408)  # the connection ends by itself, after ten seconds
        assert request(served, "/").status == 200
        assert sum("no head of a request in time" in line for line in served.lines()) == 1


@pytest.mark.slow
def test_a_body_that_does_not_come_is_not_waited_for(tmp_path: Path) -> None:
    with serving(tmp_path / "none", tmp_path / "log", OAKUM_SERVE_TOKEN="0123456789abcdef") as served:
        head = (
            f"POST /login HTTP/1.1\r\nHost: {served.host}\r\nOrigin: http://{served.host}\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ntoken=0"
        )
        with socket.create_connection(("127.0.0.1", served.port), timeout=120) as connection:
            connection.sendall(head.encode())
            assert received(connection).status == 408  # after a minute
        assert request(served, "/login").status == 200
        assert any("too slow" in line for line in served.lines())
