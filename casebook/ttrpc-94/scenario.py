"""A node: kubelet calls containerd over the CRI, containerd calls the pod's shim over ttrpc.

Scrapers ask the kubelet for stats all the time. Then many people exec into the pod at once, through the kubelet's port
with client certificates, as the API server does; on the node beside it nobody does.
"""

import contextlib
import http.client
import shutil
import signal
import ssl
import subprocess
import threading
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from casebook.runner.stage import Process, Send, Stage, Tls

SUMMARY = "/stats/summary"
# So often the crowd comes, unless stats are no longer answered after it.
CROWDS = 5
# journald's LineMax.
JOURNAL_LINE = 48 << 10


def run(stage: Stage) -> None:
    """Run the node from its start to long after the execs."""
    tls = _certificates(stage)
    folder, port, read_only = stage.folder, stage.free_port(), stage.free_port()
    stream, metrics = stage.free_port(), stage.free_port()
    shim = stage.start(
        "shim", [stage.program("shim"), "-namespace", "k8s.io", "-id", "transcode-0", "-socket", f"{folder}/shim.sock"],
        dump_on=signal.SIGUSR1,
    )  # fmt: skip
    containerd = stage.start(
        "containerd",
        [stage.program("containerd"), "-address", f"{folder}/containerd.sock", "-debug-address", f"{folder}/debug.sock",
         "-shim-address", f"{folder}/shim.sock", "-stream-address", f"127.0.0.1:{stream}",
         "-metrics-address", f"127.0.0.1:{metrics}"],
        pprof=f"unix://{folder}/debug.sock/debug/pprof", metrics=f"http://127.0.0.1:{metrics}/v1/metrics",
    )  # fmt: skip
    stage.start(
        "kubelet",
        [stage.program("kubelet"), "-listen", f"127.0.0.1:{port}", "-read-only-listen", f"127.0.0.1:{read_only}",
         "-container-runtime-endpoint", f"{folder}/containerd.sock", "-client-ca-file", str(tls.ca),
         "-tls-cert-file", f"{folder}/pki/kubelet.crt", "-tls-private-key-file", f"{folder}/pki/kubelet.key",
         *stage.flags],
        pprof=f"https://127.0.0.1:{port}/debug/pprof", metrics=f"https://127.0.0.1:{port}/metrics", tls=tls,
    )  # fmt: skip
    stats = f"http://127.0.0.1:{read_only}"

    def snapshot(name: str, *, gc: bool = False) -> None:
        stage.snapshot(name, gc=gc)
        stage.keep(f"sockets.{name}.txt", _sockets(shim, containerd))

    stage.load(stats, Send(path=SUMMARY, count=12), seconds=8, connections=2)
    snapshot("before")
    crowded = stage.build != "healthy-node"
    # Sessions that began before the crowd came and end after the second snapshot, which a slow machine reaches late.
    length = 300 if stage.short else 60
    _execs(stage, port, tls, 60 if crowded else 4, length + 10, "sleep", str(length))
    stage.rest(2)
    for _ in range(CROWDS if crowded else 0):
        clients = _execs(stage, port, tls, 240, 6, "ls", "/opt")
        stage.load(stats, Send(path=SUMMARY, count=64), seconds=0.5, connections=64, timeout=5)
        for client in clients:
            client.join()
        if not _answers(stage, read_only):
            break
    stage.load(stats, Send(path=SUMMARY, count=24), seconds=10, connections=8, timeout=1)
    snapshot("busy")
    stage.load(stats, Send(path=SUMMARY, count=72), seconds=40, timeout=1)
    stage.rest(35)
    snapshot("later", gc=True)
    stage.load(stats, Send(path=SUMMARY, count=36), seconds=20, timeout=1)
    snapshot("last", gc=True)
    stage.keep("journal.txt", _journal(containerd, shim))


def _certificates(stage: Stage) -> Tls:
    """Return what a client of the kubelet needs, made now."""
    folder = stage.folder / "pki"
    subprocess.run([stage.program("nodepki"), "-dir", str(folder)], check=True)
    name = "apiserver-kubelet-client"
    return Tls(folder / "ca.crt", folder / f"{name}.crt", folder / f"{name}.key")


def _execs(stage: Stage, port: int, tls: Tls, count: int, patience: float, *command: str) -> list[threading.Thread]:
    """Let so many clients run a command in the pod at the same moment; each goes away when its patience ends."""
    context = ssl.create_default_context(cafile=tls.ca)
    context.load_cert_chain(tls.cert, tls.key)
    connected = threading.Barrier(count + 1)
    query = "&".join(f"command={quote(word, safe='')}" for word in command)

    def one(number: int) -> None:
        client = http.client.HTTPSConnection("127.0.0.1", port, timeout=patience, context=context)
        with contextlib.suppress(OSError, http.client.HTTPException, threading.BrokenBarrierError):
            try:
                client.connect()
            finally:
                connected.wait(30)
            client.request("POST", f"/exec/media/transcode-0/transcoder-{number % 10}?{query}")
            client.getresponse().read()
        client.close()

    threads = [threading.Thread(target=one, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    with contextlib.suppress(threading.BrokenBarrierError):
        connected.wait(30)
    stage.sent["POST /exec/"] += count
    return threads


def _answers(stage: Stage, port: int) -> bool:
    """Tell whether the kubelet still answers with stats."""
    stage.sent[f"GET {SUMMARY}"] += 1
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        client.request("GET", SUMMARY)
        client.getresponse().read()
    except OSError:
        return False
    finally:
        client.close()
    return True


def _journal(containerd: Process, shim: Process) -> str:
    """Return both logs as `journalctl -u containerd` would print them; no journald runs here. Long lines are cut."""
    entries = []
    for log in (containerd.log, shim.log):
        for line in log.read_text().splitlines():
            at = datetime.fromisoformat(line.removeprefix('time="')[:26])
            entries += [(at, line[cut : cut + JOURNAL_LINE]) for cut in range(0, len(line), JOURNAL_LINE)]
    entries.sort(key=lambda entry: entry[0])
    return "".join(f"{at:%b %d %H:%M:%S} edge-07 containerd[{containerd.pid}]: {line}\n" for at, line in entries)


def _sockets(*processes: Process) -> str:
    """Return the unix sockets of these processes with what is queued in them, as ss prints it."""
    if not shutil.which("ss"):
        return Path("/proc/net/unix").read_text()
    told = subprocess.run(["ss", "-x", "-a", "-n", "-p"], capture_output=True, text=True, check=True).stdout
    pids = {f"pid={process.pid}," for process in processes}
    first, *lines = told.splitlines(keepends=True)
    return first + "".join(line for line in lines if any(pid in line for pid in pids))
