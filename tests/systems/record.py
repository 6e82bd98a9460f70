"""Record the systems of this folder again: builds programs/, runs each system under its load, and captures all of it.

Goes out: <system>/captures/<process>/<snapshot>/goroutine.debug2.txt.gz, and what `ss`, /proc/PID/fd and /proc/PID/net
show. Run by hand, with Go, iproute2 and PostgreSQL: python tests/systems/record.py [SYSTEM ...]. Loopback only.
"""

import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
SNAPSHOTS = (2, 25, 55, 95)  # seconds after the load began


@dataclass(frozen=True)
class Load:
    """Requests without a time-out: so many a second, to a path of a process."""

    process: str
    path: str
    per_second: float
    until: float = 90.0


@dataclass(frozen=True)
class System:
    """Processes by name: the program, its settings and the peers that these name; `ports` is where the first listens."""

    ports: int
    processes: Mapping[str, tuple[str, Mapping[str, str]]]
    loads: tuple[Load, ...]
    listings: str = "ss"  # which kind of socket listings is kept
    database: bool = False
    captured: tuple[str, ...] = field(default=())  # (): all


def _shop(**inventory: str) -> dict[str, tuple[str, Mapping[str, str]]]:
    return {
        "gateway": ("gateway", {"ORDERS_ADDR": "{orders}"}),
        "orders": ("orders", {"INVENTORY_ADDR": "{inventory}"}),
        "inventory": ("inventory", inventory),
    }


def _pages(**stock: str) -> dict[str, tuple[str, Mapping[str, str]]]:
    return {
        "storefront": ("storefront", {"BACKENDS": "{prices},{stock},{reviews}"}),
        "prices": ("backend", {}),
        "stock": ("backend", stock),
        "reviews": ("backend", {}),
    }


SYSTEMS = {
    "reservations-behind-a-recount": System(
        21100, _shop(RECOUNT_AFTER="12s"), (Load("gateway", "/checkout?cart={n}", 2),)
    ),
    "reservations-that-move": System(21120, _shop(), (Load("gateway", "/checkout?cart={n}", 60),)),
    "reservations-one-by-one": System(21140, _shop(PAUSE="350ms"), (Load("gateway", "/checkout?cart={n}", 2.6),)),
    "pages-wait-for-stock": System(
        21160, _pages(STRICT="yes"), (Load("storefront", "/page?id={n}", 1.5),), listings="proc"
    ),
    "counters-before-a-desk": System(  # two that call a third, which calls a fourth: all by HTTP, none named after another
        21320,
        {
            "kiosk": ("desk", {"UPSTREAM": "http://{concierge}/ask"}),
            "hotline": ("desk", {"UPSTREAM": "http://{concierge}/ask"}),
            "concierge": ("desk", {"UPSTREAM": "http://{stock}/item"}),
            "stock": ("backend", {"STRICT": "yes"}),
        },
        (Load("kiosk", "/ask?id={n}", 1.2), Load("hotline", "/ask?id={n}", 0.7)),
    ),
    "payments-never-written": System(
        21180,
        {"clerk": ("clerk", {"LEDGER_ADDR": "{ledger}"}), "ledger": ("ledger", {})},
        (Load("clerk", "/pay?id={n}", 2),),
        listings="none",
    ),
    "accounts-settle-themselves": System(
        21200,
        {
            "accounts": ("accounts", {"BILLING_ADDR": "{billing}"}),
            "billing": ("billing", {"ACCOUNTS_ADDR": "{accounts}"}),
        },
        (Load("accounts", "/balance?id={n}", 4, 20), Load("accounts", "/close?id={n}", 0.2, 20)),
    ),
    "seats-with-open-rows": System(
        21220,
        {
            "desk": ("desk", {"UPSTREAM": "http://{bookings}/seats"}),
            "bookings": ("bookings", {"DRIVER": "pq"}),
        },
        (Load("desk", "/ask?id={n}", 1),),
        database=True,
    ),
    "seats-with-open-rows-pgx": System(
        21240,
        {
            "desk": ("desk", {"UPSTREAM": "http://{bookings}/seats"}),
            "bookings": ("bookings", {"DRIVER": "pgx"}),
        },
        (Load("desk", "/ask?id={n}", 1),),
        database=True,
        listings="none",
    ),
    "mails-never-rendered": System(
        21260,
        {
            "mailer": ("mailer", {"BROKER": "nats://{broker}"}),
            "postroom": ("postroom", {"BROKER": "nats://{broker}"}),
            "broker": ("broker", {}),
        },
        (Load("mailer", "/send?id={n}", 2),),
    ),
    "polls-through-a-desk": System(
        21280,
        {"desk": ("desk", {"UPSTREAM": "http://{feedhub}/poll"}), "feedhub": ("feedhub", {})},
        (Load("desk", "/ask?id={n}", 2, 20),),
    ),
    "polls-ever-more-before-a-hub": System(  # the hub, which would show that they are polls, is not captured
        21320,
        {
            "kiosk": ("desk", {"UPSTREAM": "http://{concierge}/ask"}),
            "concierge": ("desk", {"UPSTREAM": "http://{feedhub}/poll"}),
            "feedhub": ("feedhub", {}),
        },
        (Load("kiosk", "/ask?id={n}", 1.2),),
        captured=("kiosk", "concierge"),
    ),
    "streams-of-levels": System(
        21300, {"board": ("board", {"INVENTORY_ADDR": "{inventory}"}), "inventory": ("inventory", {})}, ()
    ),
}


class Running:
    """The processes of one system while it runs."""

    def __init__(self, system: System, programs: Path, database: str) -> None:
        self.system = system
        self.at = {name: f"127.0.0.1:{system.ports + 2 * n}" for n, name in enumerate(system.processes)}
        self.debug = {name: f"127.0.0.1:{system.ports + 2 * n + 1}" for n, name in enumerate(system.processes)}
        self.began = 0.0
        self.children: dict[str, subprocess.Popen[bytes]] = {}
        for name in reversed(list(system.processes)):  # whoever is called first
            program, settings = system.processes[name]
            told = {key: value.format(**self.at) for key, value in settings.items()}
            told |= {"LISTEN_ADDR": self.at[name], "DEBUG_ADDR": self.debug[name], "DATABASE": database}
            # Each program has the name of its process, as it would have in a deployment.
            binary = programs / "run" / str(system.ports) / name
            binary.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(programs / program, binary)
            self.children[name] = subprocess.Popen([binary], env=os.environ | told, stderr=subprocess.DEVNULL)
            time.sleep(0.7)

    def loaded(self) -> None:
        """Begin the load; each request waits in a thread of its own, as long as it takes."""
        self.began = time.monotonic()
        for load in self.system.loads:
            threading.Thread(target=self._load, args=(load,), daemon=True).start()

    def _load(self, load: Load) -> None:
        n = 0
        while time.monotonic() - self.began < load.until and self.children:
            n += 1
            url = f"http://{self.at[load.process]}{load.path.format(n=n)}"
            threading.Thread(target=_get, args=(url,), daemon=True).start()
            time.sleep(1 / load.per_second)

    def capture(self, folder: Path, label: str) -> None:
        for name in self.system.captured or tuple(self.system.processes):
            mine = folder / name / label
            mine.mkdir(parents=True)
            with urllib.request.urlopen(f"http://{self.debug[name]}/debug/pprof/goroutine?debug=2", timeout=30) as got:
                (mine / "goroutine.debug2.txt.gz").write_bytes(gzip.compress(got.read(), mtime=0))
        pids = {name: child.pid for name, child in self.children.items()}
        if self.system.listings == "ss":
            keep = re.compile(rf"^State|pid=(?:{'|'.join(map(str, pids.values()))}),")
            listed = subprocess.run(["ss", "-tanp"], capture_output=True, text=True, check=True).stdout
            rows = [line.rstrip() for line in listed.splitlines() if keep.search(line)]
            (folder / f"ss.{label}.txt").write_text("\n".join(rows) + "\n")
        elif self.system.listings == "proc":
            for name in self.system.captured or tuple(self.system.processes):
                proc = f"/proc/{pids[name]}"
                listed = subprocess.run(["ls", "-l", f"{proc}/fd"], capture_output=True, text=True, check=True).stdout
                (folder / name / label / "fd.txt.gz").write_bytes(gzip.compress(listed.encode(), mtime=0))
                ports = {f":{int(at.rpartition(':')[2]):04X}" for at in (*self.at.values(), *self.debug.values())}
                head, *rows = Path(f"{proc}/net/tcp").read_text().splitlines()
                kept = [row for row in rows if any(port in row for port in ports)]  # this machine has other tenants
                table = "\n".join([head, *kept, ""]).encode()
                (folder / name / label / "tcp.txt.gz").write_bytes(gzip.compress(table, mtime=0))

    def stop(self) -> None:
        for child in self.children.values():
            child.kill()
            child.wait()
        self.children = {}


def _get(url: str) -> None:
    try:
        with urllib.request.urlopen(url) as got:
            got.read()
    except OSError:
        pass


def record(name: str, programs: Path, database: str) -> None:
    system = SYSTEMS[name]
    folder = HERE / name / "captures"
    shutil.rmtree(folder, ignore_errors=True)
    running = Running(system, programs, database)
    try:
        running.loaded()
        for number, second in enumerate(SNAPSHOTS, 1):
            time.sleep(max(0.0, running.began + second - time.monotonic()))
            running.capture(folder, f"{number}-{second}s")
    finally:
        running.stop()


class Database:
    """A PostgreSQL of its own, as long as it is needed."""

    def __init__(self, place: Path) -> None:
        self._data = place / "postgres"
        self._data.mkdir()
        shutil.chown(self._data, "postgres", "postgres")
        place.chmod(0o755)
        self._run("initdb", "-A", "trust", "-D", str(self._data))
        self._run(
            "pg_ctl",
            "-D",
            str(self._data),
            "-w",
            "-o",
            f"-p 21399 -k {self._data} -c listen_addresses=127.0.0.1",
            "start",
        )
        self.url = "postgres://postgres@127.0.0.1:21399/postgres?sslmode=disable"

    def _run(self, program: str, *words: str) -> None:
        path = shutil.which(program) or str(next(Path("/usr/lib/postgresql").glob(f"*/bin/{program}")))
        subprocess.run(
            [path, *words], user="postgres", group="postgres", cwd="/", stdout=subprocess.DEVNULL, check=True
        )

    def stop(self) -> None:
        self._run("pg_ctl", "-D", str(self._data), "-m", "immediate", "stop")


def main(names: list[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="systems-") as place:
        programs = Path(place)
        build = ["go", "build", "-trimpath", "-o", f"{programs}/", "./..."]
        subprocess.run(build, cwd=HERE / "programs", check=True)
        database = Database(programs) if any(SYSTEMS[name].database for name in names) else None
        try:
            url = database.url if database else ""
            threads = [threading.Thread(target=record, args=(name, programs, url)) for name in names]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            if database:
                database.stop()


if __name__ == "__main__":
    main(sys.argv[1:] or list(SYSTEMS))
