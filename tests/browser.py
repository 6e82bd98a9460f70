"""A real browser for tests: Chromium driven over the DevTools pipe, with nothing but the standard library."""

import base64
import fcntl
import json
import os
import re
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from support import need_tool

_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--disable-dev-shm-usage",
    "--hide-scrollbars", "--remote-debugging-pipe",
)  # fmt: skip
_MOVE = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
)
_PATIENCE = 30.0  # seconds for one answer; a shared machine is slow at times


class Page:
    """One page: runs scripts in it, presses its keys, and keeps what it logged and asked the network for."""

    def __init__(self, send: int, receive: int) -> None:
        self._send, self._receive = send, receive
        self._session: str | None = None
        self._number = 0
        self._rest = b""
        self._scripts = True
        self.errors: list[str] = []
        self.requests: list[str] = []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._call(f"{domain}.enable")

    def open(self, url: str, width: int = 1280, height: int = 800, dark: bool = False) -> None:
        """Go to a page afresh and wait until it has loaded and drawn."""
        self.errors.clear()
        self.requests.clear()
        media = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self._call("Emulation.setEmulatedMedia", media="", features=media)
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self._call("Page.navigate", url="about:blank")
        self._call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")
        self.settle()

    @contextmanager
    def first(self, script: str) -> Iterator[None]:
        """Run a script in each page that is opened, before the page's own."""
        added = self._call("Page.addScriptToEvaluateOnNewDocument", source=script)["identifier"]
        yield
        self._call("Page.removeScriptToEvaluateOnNewDocument", identifier=added)

    def run(self, script: str) -> Any:
        """Return the value of an expression; a promise is waited for."""
        answer = self._call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, condition: str) -> None:
        """Wait until an expression is true."""
        until = time.monotonic() + _PATIENCE
        while not self.run(condition):
            assert time.monotonic() < until, f"never true: {condition}"

    def settle(self) -> None:
        """Wait for two frames: what was asked for is then on the screen. A page without script has none to wait for."""
        if not self._scripts:
            return
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def press(self, *keys: str) -> None:
        """Press keys by their DOM names: "j", "Enter", "/"."""
        codes = {"Enter": 13, "Escape": 27, "Backspace": 8, "Tab": 9, "ArrowUp": 38, "ArrowDown": 40}
        for key in keys:
            text = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
            code = {"windowsVirtualKeyCode": codes[key]} if key in codes else {}
            self._call("Input.dispatchKeyEvent", type="keyDown", key=key, **text, **code)
            self._call("Input.dispatchKeyEvent", type="keyUp", key=key, **code)
        self.settle()

    def mouse(self, x: float, y: float, click: bool = False) -> None:
        """Move the mouse there, and click."""
        self._call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        if click:
            for kind in ("mousePressed", "mouseReleased"):
                self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def drag(self, begin: tuple[float, float], end: tuple[float, float]) -> None:
        """Press the button of the mouse at one place, and leave it at another."""
        held = {"button": "left", "buttons": 1, "clickCount": 1}
        self.mouse(*begin)
        self._call("Input.dispatchMouseEvent", type="mousePressed", x=begin[0], y=begin[1], **held)
        for part in (0.5, 1.0):
            x, y = (one + (other - one) * part for one, other in zip(begin, end, strict=True))
            self._call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, **held)
        self._call("Input.dispatchMouseEvent", type="mouseReleased", x=end[0], y=end[1], **held)
        self.settle()

    @contextmanager
    def without_script(self) -> Iterator[None]:
        """Run no script of pages meanwhile; `run` still works."""
        self._call("Emulation.setScriptExecutionDisabled", value=True)
        self._scripts = False
        try:
            yield
        finally:
            self._call("Emulation.setScriptExecutionDisabled", value=False)
            self._scripts = True

    def forget(self) -> None:
        """Drop all cookies: those of one port are sent to all others of a machine."""
        self._call("Network.clearBrowserCookies")

    def resize(self, width: int, height: int = 800) -> None:
        """Make the window another size, with the page in it."""
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.settle()

    def scheme(self, name: str) -> None:
        """Have the system prefer "dark" or "light"."""
        self._call("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": name}])
        self.settle()

    def media(self, kind: str) -> None:
        """Show the page as on this medium: "print" or "screen"."""
        self._call("Emulation.setEmulatedMedia", media=kind)
        self.settle()

    def pages(self) -> int:
        """Return how many sheets of paper the page takes."""
        paper = base64.b64decode(self._call("Page.printToPDF", printBackground=True)["data"])
        return len(re.findall(rb"/Type\s*/Page\b", paper))

    def picture(self, path: Path) -> None:
        """Write what is seen as a PNG."""
        path.write_bytes(base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"]))

    def _call(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._send, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next(method)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result
            self._event(answer)

    def _next(self, method: str) -> dict[str, Any]:
        until = time.monotonic() + _PATIENCE
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._receive], [], [], max(0.0, until - time.monotonic()))
            part = os.read(self._receive, 1 << 16) if ready else b""
            if not part:
                raise AssertionError(f"the browser did not answer {method}")
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        return message

    def _event(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        match message.get("method"):
            case "Runtime.exceptionThrown":
                self.errors.append(str(params["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if params["type"] in ("error", "warning", "assert"):
                self.errors.append(str(params["args"]))
            case "Log.entryAdded" if params["entry"]["level"] in ("error", "warning"):
                self.errors.append(params["entry"]["text"])
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])


@contextmanager
def chromium() -> Iterator[Page]:
    """Yield a page of a browser of its own; skip the test where there is no Chromium."""
    program = need_tool("chromium", "chromium")
    to_browser, from_us = os.pipe()
    to_us, from_browser = os.pipe()
    # The browser reads commands from descriptor 3 and answers on 4. High numbers first: 3 or 4 may be taken.
    commands, answers = (fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (to_browser, from_browser))
    os.close(to_browser)
    os.close(from_browser)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = subprocess.Popen(
            [sys.executable, "-ISc", _MOVE, str(commands), str(answers), program, *_FLAGS, f"--user-data-dir={folder}"],
            pass_fds=(commands, answers),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        try:
            yield Page(from_us, to_us)
        finally:
            with suppress(OSError):
                os.write(from_us, b'{"id":0,"method":"Browser.close"}\0')
            os.close(from_us)
            os.close(to_us)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


__all__ = ["Page", "chromium"]
