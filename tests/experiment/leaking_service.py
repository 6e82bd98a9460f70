"""A loopback server that keeps goroutines for requests, as its pprof prints them; it can die, restart, refuse and throttle.

Run as a program of its own, so that it can be started, found and ended: python leaking_service.py PORT MODE.
"""

import itertools
import queue
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODES = ("each", "seldom", "errors", "later", "never", "dies", "restarts", "throttles", "refuses")
AFTER = 70  # requests, until something happens
TAKES = 0.05  # seconds of work after an answer
_INDEX = """<html><head><title>/debug/pprof/</title></head><body>
<tr><td>{count}</td><td><a href='goroutine?debug=1'>goroutine</a></td></tr></body></html>"""
_GOROUTINE = """goroutine {number} [chan send]:
main.(*Book).fetch.func1()
\t/srv/orders/book.go:41 +0x1d
created by main.(*Book).fetch in goroutine {parent}
\t/srv/orders/book.go:38 +0x9a
"""
_MAIN = "goroutine 1 [IO wait]:\nmain.main()\n\t/srv/orders/main.go:12 +0x1d\n"
_METRICS = "# TYPE go_goroutines gauge\ngo_goroutines {count}\nprocess_start_time_seconds {started}\n"


class State:
    def __init__(self, mode: str) -> None:
        self.mode, self.lock = mode, threading.Lock()
        self.numbers = itertools.count(1)
        self.asked = 0
        self.kept: list[int] = []
        self.started = time.time() - 600
        self.jobs: queue.Queue[int] = queue.Queue()
        threading.Thread(target=self._work_on, daemon=True).start()

    def _work_on(self) -> None:
        """Do what was answered before it was done, one after the other."""
        while True:
            number = self.jobs.get()
            time.sleep(TAKES)
            with self.lock:
                self.kept.append(number)

    def work(self) -> int:
        """Do one request; return its status."""
        with self.lock:
            self.asked += 1
            number = 10 + 2 * self.asked
            if self.mode == "throttles" and self.asked > AFTER:
                return 429
            if self.mode == "restarts" and self.asked == AFTER:
                self.kept, self.started = [], time.time()
            if self.mode == "later":
                self.jobs.put(number)
            elif self.mode != "never" and (self.mode != "seldom" or self.asked % 50 == 17):
                self.kept.append(number)
            return 504 if self.mode == "errors" else 200


def serve(port: int, mode: str) -> None:
    state = State(mode)

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            if path.startswith("/orders"):
                status = state.work()
                if state.mode == "dies" and state.asked >= AFTER:
                    sys.stdout.flush()
                    threading.Thread(target=server.shutdown, daemon=True).start()
                    self.close_connection = True
                    return
                if state.mode == "refuses" and state.asked > AFTER:
                    self.close_connection = True
                    return
                self.answer(status, b"done")
            elif path == "/debug/pprof/":
                self.answer(200, _INDEX.format(count=len(state.kept) + 1).encode())
            elif path == "/debug/pprof/goroutine" and "debug=2" in query:
                dump = [_MAIN, *(_GOROUTINE.format(number=one, parent=one - 1) for one in state.kept)]
                self.answer(200, "\n".join(dump).encode())
            elif path == "/metrics":
                self.answer(200, _METRICS.format(count=len(state.kept) + 1, started=state.started).encode())
            else:
                self.answer(404, b"")

        def answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Answers)
    server.daemon_threads = True
    server.serve_forever(0.01)
    server.server_close()


if __name__ == "__main__":
    serve(int(sys.argv[1]), sys.argv[2])
