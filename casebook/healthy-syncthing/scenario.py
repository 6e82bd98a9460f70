"""Syncthing from its package, alone on loopback: folders are added in two waves, scanned, and removed."""

import json
import os
import urllib.request

from casebook.runner.stage import Stage

KEY = "casebook"
# Nothing is announced, relayed, reported or upgraded: the node speaks to loopback alone.
CONFIG = """<configuration version="36">
  <gui enabled="true" tls="false"><address>127.0.0.1:{port}</address><apikey>{key}</apikey></gui>
  <options>
    <listenAddress>tcp://127.0.0.1:{peers}</listenAddress>
    <globalAnnounceEnabled>false</globalAnnounceEnabled><localAnnounceEnabled>false</localAnnounceEnabled>
    <relaysEnabled>false</relaysEnabled><natEnabled>false</natEnabled><startBrowser>false</startBrowser>
    <urAccepted>-1</urAccepted><autoUpgradeIntervalH>0</autoUpgradeIntervalH>
    <crashReportingEnabled>false</crashReportingEnabled><stunKeepaliveStartS>0</stunKeepaliveStartS>
  </options>
</configuration>
"""


class Node:
    """The node's own API."""

    def __init__(self, base: str) -> None:
        self._base = base

    def call(self, method: str, path: str, body: object = None) -> None:
        """Call the API; its answer is not looked at."""
        data = json.dumps(body).encode() if body is not None else None
        asked = urllib.request.Request(f"{self._base}{path}", data, {"X-API-Key": KEY}, method=method)
        urllib.request.urlopen(asked, timeout=30).read()


def run(stage: Stage) -> None:
    """Add folders, let them be scanned, remove most of them."""
    home = stage.folder / "node"
    home.mkdir()
    port, profiling = stage.free_port(), stage.free_port()
    (home / "config.xml").write_text(CONFIG.format(port=port, key=KEY, peers=stage.free_port()))
    base = f"http://127.0.0.1:{port}"
    stage.start(
        "syncthing", ["syncthing", "serve", "--no-browser", "--no-restart", "--no-upgrade", f"--home={home}"],
        env={"STPROFILER": f"127.0.0.1:{profiling}", "STNODEFAULTFOLDER": "1", "STMONITORED": "yes"},
        pprof=f"http://127.0.0.1:{profiling}/debug/pprof", ready=f"{base}/",
    )  # fmt: skip
    node = Node(base)

    def add(first: int, last: int) -> None:
        for number in range(first, last):
            folder = stage.folder / f"photos{number}"
            folder.mkdir()
            for picture in range(60):
                (folder / f"{picture}.jpg").write_bytes(os.urandom(20_000))
            node.call("POST", "/rest/config/folders", {"id": f"photos{number}", "path": str(folder)})

    stage.rest(5)
    stage.snapshot("before")
    add(0, 6)
    stage.rest(10)
    stage.snapshot("six-folders")
    add(6, 20)
    stage.rest(15)
    stage.snapshot("twenty-folders")
    for _ in range(6):
        node.call("POST", "/rest/db/scan")
        stage.rest(12)
    stage.snapshot("hold")
    for number in range(2, 20):
        node.call("DELETE", f"/rest/config/folders/photos{number}")
    stage.rest(20)
    stage.snapshot("removed")
