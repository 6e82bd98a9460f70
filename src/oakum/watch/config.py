"""A TOML file -> what is watched, how often, where it is kept, whom to tell. Every mistake is said with its line.

Credentials stand in no file of ours: only the names of files and of environment variables that hold them.
"""

import os
import re
import tomllib
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from oakum.collect.target import DUMP_BUDGET
from oakum.model import UsageError
from oakum.watch.budget import CPU_SHARE, NETWORK_PER_HOUR, Allowance

# 10s   2m   1h30m   250ms   7d
_DURATION = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?")
# 20MB/h   512KiB/h   1GB
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]i?)?B(?:/h)?")
_SIZES = {
    "": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40,
}  # fmt: skip
_MOST = 4 << 20  # bytes of a configuration


class TargetTable(Struct, forbid_unknown_fields=True):
    """[[target]]: something to watch, and how it is entered."""

    url: str = ""
    file_sd: str = ""  # a file of Prometheus' file-based service discovery
    service: str = ""
    every: str = ""
    selector: str = ""
    namespace: str = ""
    all_namespaces: bool = False
    kubeconfig: str = ""
    context: str = ""
    tls_ca: str = ""
    tls_cert: str = ""
    tls_key: str = ""
    server_name: str = ""
    token_file: str = ""
    token_env: str = ""


class BudgetTable(Struct, forbid_unknown_fields=True):
    cpu: str = f"{CPU_SHARE:.1%}"
    network: str = f"{NETWORK_PER_HOUR >> 20}MiB/h"
    goroutines: int = DUMP_BUDGET


class RetentionTable(Struct, forbid_unknown_fields=True):
    """How long each resolution is kept, and how large the store may be."""

    raw: str = ""
    hourly: str = ""
    daily: str = ""
    size: str = ""


class IncidentsTable(Struct, forbid_unknown_fields=True):
    settle: str = "10m"


class ExporterTable(Struct, forbid_unknown_fields=True):
    listen: str = ""  # "127.0.0.1:9469"; "": none


class File(Struct, forbid_unknown_fields=True):
    """The whole file."""

    store: str = ""
    every: str = "1m"
    parallel: int = 16
    source: list[str] = field(default_factory=list)
    budget: BudgetTable = field(default_factory=BudgetTable)
    retention: RetentionTable = field(default_factory=RetentionTable)
    incidents: IncidentsTable = field(default_factory=IncidentsTable)
    exporter: ExporterTable = field(default_factory=ExporterTable)
    target: list[TargetTable] = field(default_factory=list)
    notify: list[dict[str, Any]] = field(default_factory=list)  # each is read by the channel that it names


_TABLES: dict[str, type[Struct]] = {
    "$": File,
    "$.budget": BudgetTable,
    "$.retention": RetentionTable,
    "$.incidents": IncidentsTable,
    "$.exporter": ExporterTable,
}


class Mistake(UsageError):
    """The configuration is wrong; the message has the file and the line."""


class Lines:
    """Where each key of a TOML text stands: `$.target[0].url` -> 12."""

    # the lines [budget], [[target]] and ["a b".c]
    _TABLE = re.compile(r"^\s*(\[\[?)\s*([\w.\s\"'-]+?)\s*\]\]?\s*(?:#.*)?$")
    # url = "..."   a.b = 1   "quoted key" = 2
    _KEY = re.compile(r"^\s*([\w.\"'-]+)\s*=")

    def __init__(self, text: str) -> None:
        self._lines: dict[str, int] = {"$": 1}
        table, counts = "$", dict[str, int]()
        for number, line in enumerate(text.splitlines(), 1):
            if found := self._TABLE.match(line):
                name = re.sub(r"[\s\"']", "", found[2])
                table = f"$.{name}"
                if found[1] == "[[":
                    counts[name] = counts.get(name, -1) + 1
                    table += f"[{counts[name]}]"
                self._lines.setdefault(table, number)
            elif found := self._KEY.match(line):
                key = re.sub(r"[\"']", "", found[1])
                self._lines.setdefault(f"{table}.{key}", number)

    def of(self, path: str) -> int:
        """Return the line of a key, or of the nearest table above it."""
        while path not in self._lines:
            cut = max(path.rfind("."), path.rfind("["))
            if cut <= 0:
                return 1
            path = path[:cut]
        return self._lines[path]


class Config(Struct, frozen=True, eq=False):
    """What the watcher is told."""

    place: str = ""  # the file; "": the command line alone
    store: Path | None = None
    every: float = 60.0
    parallel: int = 16
    source: tuple[str, ...] = ()
    allowance: Allowance = Allowance()
    goroutines: int = DUMP_BUDGET
    retention: RetentionTable = field(default_factory=RetentionTable)
    settle: float = 600.0
    listen: str = ""
    targets: tuple[TargetTable, ...] = ()
    notify: tuple[dict[str, Any], ...] = ()
    lines: Lines | None = None

    def mistake(self, path: str, said: str) -> Mistake:
        """Return the error that something in the file is wrong, with its line."""
        where = f"{self.place}:{self.lines.of(path)}: " if self.lines is not None else ""
        return Mistake(f"{where}{path.removeprefix('$.')}: {said}")

    def misread(self, path: str, error: msgspec.ValidationError, table: Callable[[str], type[Struct]]) -> Mistake:
        """Return the error that a table below a path is not as it is declared."""
        # Object contains unknown field `evry` - at `$.target[0]`
        said, _, at = str(error).partition(" - at ")
        at = path + at.strip("`").removeprefix("$")
        if not (unknown := re.search(r"unknown field `([^`]*)`", said)):
            return self.mistake(at, said.lower())
        known = table(at).__struct_fields__
        near = get_close_matches(unknown[1], known, 1)
        meant = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
        return self.mistake(f"{at}.{unknown[1]}", f"there is no such key; {meant}")


def read(path: Path) -> Config:
    """Return the configuration in a file; raise with the line of the first mistake."""
    try:
        with path.open("rb") as file:
            data = file.read(_MOST + 1)
    except OSError as error:
        raise UsageError(f"--config {path}: {error.strerror or error}") from error
    if len(data) > _MOST:
        raise UsageError(f"--config {path}: larger than {_MOST >> 20} MiB; this is no configuration")
    return parse(data, str(path))


def parse(data: bytes, place: str) -> Config:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise Mistake(f"{place}:{line}: this is no UTF-8, which TOML is") from error
    lines = Lines(text)
    try:
        raw = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        # Invalid value (at line 3, column 9)
        found = re.search(r"\s*\(at line (\d+), column (\d+)\)", str(error))
        where = f"{place}:{found[1]}:{found[2]}" if found else f"{place}:{text.count(chr(10)) + 1}"
        said = re.sub(r"\s*\(at .*\)", "", str(error))
        raise Mistake(f"{where}: no valid TOML: {said}") from error
    bare = Config(place, lines=lines)
    try:
        told = msgspec.convert(raw, File)
    except msgspec.ValidationError as error:
        raise bare.misread("$", error, lambda at: _TABLES.get(at, TargetTable)) from error
    return _checked(told, bare)


def _checked(told: File, bare: Config) -> Config:
    every = _seconds(bare, "$.every", told.every)
    budget = told.budget
    share = _share(bare, "$.budget.cpu", budget.cpu)
    if budget.goroutines < 0:
        raise bare.mistake("$.budget.goroutines", "goroutines up to which a full dump is taken: 0 or more")
    if not 1 <= told.parallel <= 256:
        raise bare.mistake("$.parallel", "targets looked at at once: 1 to 256")
    for name in ("raw", "hourly", "daily"):
        if value := getattr(told.retention, name):
            _seconds(bare, f"$.retention.{name}", value)
    if told.retention.size:
        _bytes(bare, "$.retention.size", told.retention.size)
    for at, folder in enumerate(told.source):
        if not Path(folder).is_dir():
            raise bare.mistake("$.source", f"[{at}] {folder}: no such directory")
    for at, target in enumerate(told.target):
        _check_target(bare, f"$.target[{at}]", target)
    if told.exporter.listen:
        _check_listen(bare, "$.exporter.listen", told.exporter.listen)
    return Config(
        place=bare.place,
        store=Path(told.store) if told.store else None,
        every=every,
        parallel=told.parallel,
        source=tuple(told.source),
        allowance=Allowance(share, _bytes(bare, "$.budget.network", budget.network)),
        goroutines=budget.goroutines,
        retention=told.retention,
        settle=_seconds(bare, "$.incidents.settle", told.incidents.settle),
        listen=told.exporter.listen,
        targets=tuple(told.target),
        notify=tuple(told.notify),
        lines=bare.lines,
    )


class Overrides(Struct, frozen=True):
    """What the command line says instead."""

    cpu: str = ""
    network: str = ""
    listen: str = ""


def overridden(config: Config, given: Overrides) -> Config:
    """Return a configuration with what the command line changes; raise for what is no share, size or address."""
    bare, allowance = Config(), config.allowance
    if given.cpu:
        allowance = replace(allowance, cpu_share=_share(bare, "--cpu-budget", given.cpu))
    if given.network:
        allowance = replace(allowance, bytes_per_hour=_bytes(bare, "--network-budget", given.network))
    if given.listen:
        _check_listen(bare, "--listen", given.listen)
    return replace(config, allowance=allowance, listen=given.listen or config.listen)


def _check_target(bare: Config, at: str, target: TargetTable) -> None:
    if bool(target.url) == bool(target.file_sd):
        raise bare.mistake(at, "name either url or file_sd")
    if re.match(r"\w[\w+.-]*://[^/?#]*@", target.url):
        raise bare.mistake(f"{at}.url", "credentials do not belong here; token_file or token_env names where they are")
    if target.every:
        _seconds(bare, f"{at}.every", target.every)
    if target.token_file and target.token_env:
        raise bare.mistake(f"{at}.token_env", "token_file and token_env exclude each other")
    if target.token_env and not os.environ.get(target.token_env):
        raise bare.mistake(f"{at}.token_env", f"the environment has no {target.token_env}")
    for name in ("token_file", "tls_ca", "tls_cert", "tls_key", "kubeconfig"):
        file = getattr(target, name)
        if file and not Path(file).is_file():
            raise bare.mistake(f"{at}.{name}", f"{file}: no such file")
    if target.tls_key and not target.tls_cert:
        raise bare.mistake(f"{at}.tls_key", "this is the key of a certificate, which tls_cert names")


def _share(bare: Config, path: str, text: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*%", text)
    if not found or not 0 < float(found[1]) <= 100:
        raise bare.mistake(path, f"{text!r} is no share of a core; write 0.5%")
    return float(found[1]) / 100


def _check_listen(bare: Config, path: str, listen: str) -> None:
    host, colon, port = listen.rpartition(":")
    if not colon or not port.isdecimal() or not 0 <= int(port) < 65536:
        raise bare.mistake(path, f"{listen!r} is no address; write 127.0.0.1:9469")
    if host not in ("127.0.0.1", "localhost", "[::1]"):
        raise bare.mistake(path, f"{host}: only loopback is listened on; put a proxy before it")


def _seconds(bare: Config, path: str, text: str) -> float:
    found = _DURATION.fullmatch(text)
    if not text or not found:
        raise bare.mistake(path, f"{text!r} is no duration; write 10s, 2m or 1h30m")
    days, hours, minutes, seconds, milliseconds = (float(part or 0) for part in found.groups())
    total = days * 86_400 + hours * 3600 + minutes * 60 + seconds + milliseconds / 1000
    if not 0.1 <= total <= 36_600 * 86_400:
        raise bare.mistake(path, f"{text!r}: at least 100ms, at most 100 years")
    return total


def _bytes(bare: Config, path: str, text: str) -> float:
    found = _SIZE.fullmatch(text)
    if not found or not float(found[1]):
        raise bare.mistake(path, f"{text!r} is no size; write 20MB or 512MiB")
    return float(found[1]) * _SIZES[found[2] or ""]


def duration(text: str, default: float) -> float:
    """Return the seconds of a duration that was checked; the default where there is none."""
    return _seconds(Config(), "$", text) if text else default


def size(text: str, default: float) -> float:
    return _bytes(Config(), "$", text) if text else default
