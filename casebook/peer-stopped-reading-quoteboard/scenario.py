"""Boards connect over plain TCP; all of them read, until one does not any more."""

import contextlib
import socket
import threading

from casebook.runner.stage import Send, Stage


def _connect(port: int) -> socket.socket:
    board = socket.socket()
    board.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 << 10)
    board.connect(("127.0.0.1", port))
    return board


def _read(board: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while board.recv(65536):
            pass


def run(stage: Stage) -> None:
    """Publish quotes to boards, of which one stops reading half way."""
    port, floor = stage.free_port(), stage.free_port()
    base = f"http://127.0.0.1:{port}"
    stage.start(
        "quoteboard",
        [stage.program(), "-listen", f"127.0.0.1:{port}", "-boards", f"127.0.0.1:{floor}", *stage.flags],
        pprof=f"{base}/debug/pprof",
        metrics=f"{base}/metrics",
    )
    boards = [_connect(floor) for _ in range(18)]
    for board in boards:
        threading.Thread(target=_read, args=(board,), daemon=True).start()
    try:
        stage.rest(4)
        stage.snapshot("closed")
        stage.load(
            base,
            Send("POST", "/quote/{n}", count=80),
            Send("GET", "/chart/{n}", count=90),
            seconds=12,
            connections=10,
            timeout=2,
        )
        stage.snapshot("opened")
        boards.append(_connect(floor))
        stage.load(
            base,
            Send("POST", "/quote/{n}", count=300),
            Send("GET", "/chart/{n}", count=60),
            seconds=15,
            connections=30,
            timeout=1,
        )
        stage.snapshot("trading")
        stage.rest(70)
        stage.snapshot("pause")
        stage.load(base, Send("POST", "/quote/{n}", count=80), seconds=10, connections=30, timeout=1)
        stage.snapshot("closing", gc=True)
    finally:
        for board in boards:
            board.close()
