"""Words, tables of the configuration, files of Prometheus' service discovery -> the targets that are there now.

Asked again and again: pods come and go, files are rewritten. What is known already stays as it is, connections and all.
What names no process that can be looked at again is refused.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from oakum.collect.target import Target
from oakum.collect.targets import is_live, open_targets
from oakum.collect.web.access import Access
from oakum.model import OakumError, UsageError
from oakum.watch.config import Config, TargetTable, duration

KINDS = ("http://", "https://", "https+insecure://", "unix://", "kube://", "pid:")
_ASKED_AGAIN = ("kube://",)  # words that may mean others tomorrow
_MOST = 4 << 20  # bytes of a discovery file
_TARGETS_MOST = 10_000
# orders=http://10.0.0.7:6060
_NAMED = re.compile(r"([A-Za-z0-9][\w./-]{0,99})=((?:[a-z][a-z0-9+]*://|pid:).*)", re.DOTALL)
_HOST_PORT = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9][\w.-]*):\d{1,5}(?:/.*)?")
# shop_orders-7d9f5c5b9-x2k4l   orders-7d9f5c-x2k4l   orders-0: what a workload adds to its name
_POD_ENDING = re.compile(
    r"(?:-[bcdfghjklmnpqrstvwxz2456789]{4,10})?-(?:[bcdfghjklmnpqrstvwxz2456789]{5}|\d{1,4})(?=_|$)"
)


class Named(Struct, frozen=True, eq=False):
    """Something to watch, as it was named: perhaps many targets."""

    word: str  # without credentials
    service: str = ""  # "": after the target
    every: float | None = None
    access: Access = Access()
    file: Path | None = None  # a discovery file
    secret_word: str = ""  # with credentials, where the address has some


class Found(Struct, frozen=True, eq=False):
    """A target that is there now."""

    key: str  # the same for the same target, whoever asks
    service: str
    replica: str
    every: float | None
    target: Target


class Discovery:
    """All that is named. Used by one thread at a time."""

    def __init__(self, named: Sequence[Named]) -> None:
        self._named = list(named)
        self._known: dict[int, list[Found]] = {}
        self._stamps: dict[int, tuple[float, int]] = {}

    def __len__(self) -> int:
        return len(self._named)

    @property
    def changes(self) -> bool:
        """Tell whether asking again may give anything new."""
        return any(one.file or one.word.startswith(_ASKED_AGAIN) for one in self._named) or len(self._known) < len(self)

    def refresh(self, troubled: Callable[[str, OakumError], None], cleared: Callable[[str], None]) -> list[Found]:
        """Return the targets that are there now; what cannot be asked keeps those that it had."""
        for at, one in enumerate(self._named):
            before = self._known.get(at, [])
            if before and not one.file and not one.word.startswith(_ASKED_AGAIN):
                continue
            try:
                self._known[at] = self._asked(at, one, before)
                cleared(one.word)
            except OakumError as error:
                troubled(one.word, error)
                if one.word.startswith("pid:") and not before:
                    self._known.setdefault(at, [])
        unique: dict[str, Found] = {}
        for found in (found for known in self._known.values() for found in known):
            unique.setdefault(found.key, found)
        return list(unique.values())[:_TARGETS_MOST]

    def _asked(self, at: int, one: Named, before: list[Found]) -> list[Found]:
        if one.file is not None:
            return self._of_file(at, one, one.file, before)
        opened = open_targets((one.secret_word or one.word,), one.access)
        return _merged(before, [_found(one, target) for target in opened if not _is_service(target)])

    def _of_file(self, at: int, one: Named, file: Path, before: list[Found]) -> list[Found]:
        try:
            stat = file.stat()
            stamp = (stat.st_mtime, stat.st_size)
            if self._stamps.get(at) == stamp and before:
                return before
            with file.open("rb") as opened:
                data = opened.read(_MOST + 1)
        except OSError as error:
            raise OakumError(f"{file}: {error.strerror or error}") from error
        groups = groups_in(data, str(file))
        known = {found.key: found for found in before}
        wanted = [_of_group(one, address, labels) for address, labels in groups]
        fresh = []
        for word, service, replica in wanted:
            if (already := known.get(word)) is not None:
                fresh.append(already)
                continue
            fresh += [Found(word, service, replica, one.every, target) for target in open_targets((word,), one.access)]
        self._stamps[at] = stamp
        return fresh

    def close(self) -> None:
        for known in self._known.values():
            for found in known:
                found.target.close()
        self._known.clear()


def _merged(before: Sequence[Found], fresh: Sequence[Found]) -> list[Found]:
    """Return what is there now: of what was known the same object, which may be at work."""
    known = {one.key: one for one in before}
    kept = []
    for one in fresh:
        if one.key in known and known[one.key].target is not one.target:
            one.target.close()
        kept.append(known.get(one.key, one))
    # What is gone is closed by whoever uses it, when its last look is over.
    return kept


def _is_service(target: Target) -> bool:
    """Tell whether it is a Service of a cluster, which is no process: the pods behind it are."""
    return target.address.startswith("kube://service/")


def _found(one: Named, target: Target) -> Found:
    name = target.name
    service = one.service or _service(target.address, name)
    return Found(target.address, service, _replica(target.address, name), one.every, target)


def _service(address: str, name: str) -> str:
    """Return what a service is called after one of its targets: of a pod the workload, of a process the program."""
    if address.startswith("kube://pod/"):
        namespace, _, pod = name.partition("_")
        return f"{namespace}/{_POD_ENDING.sub('', pod).partition('_')[0]}"
    if address.startswith("pid:"):
        return name.rpartition("-")[0]
    return re.sub(r"^\w[\w+.-]*://", "", address).rstrip("/") or name


def _replica(address: str, name: str) -> str:
    return name if address.startswith(("kube://", "pid:")) else re.sub(r"^\w[\w+.-]*://", "", address).rstrip("/")


def _of_group(one: Named, address: str, labels: Mapping[str, str]) -> tuple[str, str, str]:
    scheme = labels.get("__scheme__", "http")
    prefix = labels.get("__profile_path_prefix__", "").rstrip("/")
    word = f"{scheme if scheme in ('http', 'https') else 'http'}://{address}{prefix}"
    service = one.service or labels.get("service") or labels.get("job") or labels.get("app") or address
    return word, service[:200], (labels.get("instance") or labels.get("pod") or address)[:200]


def groups_in(data: bytes, place: str) -> list[tuple[str, dict[str, str]]]:
    """Return the addresses in a discovery file with their labels; raise when it is none."""
    if len(data) > _MOST:
        raise OakumError(f"{place}: larger than {_MOST >> 20} MiB; this is no file of service discovery")
    try:
        told: Any = json.loads(data) if data.lstrip()[:1] in (b"[", b"{") else _yaml(data)
    except (ValueError, RecursionError) as error:
        raise OakumError(f"{place}: neither JSON nor YAML: {str(error).splitlines()[0]}") from error
    if not isinstance(told, list):
        raise OakumError(f"{place}: a list of groups with targets and labels is expected, as Prometheus' file_sd reads")
    found: dict[str, dict[str, str]] = {}
    for number, group in enumerate(told, 1):
        targets = group.get("targets") if isinstance(group, dict) else None
        if not isinstance(targets, list):
            raise OakumError(f"{place}: group {number} has no list of targets")
        labels = group.get("labels") if isinstance(group.get("labels"), dict) else {}
        for target in targets:
            if not isinstance(target, str) or not _HOST_PORT.fullmatch(target):
                raise OakumError(f"{place}: group {number}: {str(target)[:80]!r} is no HOST:PORT")
            found.setdefault(target, {str(key): str(value)[:500] for key, value in labels.items()})
    return list(found.items())


def _yaml(data: bytes) -> Any:
    import yaml

    try:
        return yaml.safe_load(data)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


def named_words(words: Iterable[str], access: Access) -> list[Named]:
    """Return what the words of a command line name: NAME=TARGET gives the service its name."""
    found = []
    for word in dict.fromkeys(words):
        service = ""
        if given := _NAMED.fullmatch(word):
            service, word = given[1], given[2]
        found.append(_named(word, service, None, access))
    return found


def named_tables(config: Config) -> list[Named]:
    """Return what the tables of a configuration name; raise with the line of what is wrong."""
    found = []
    for at, table in enumerate(config.targets):
        try:
            every = duration(table.every, 0.0) or None
            found.append(_named(table.url or table.file_sd, table.service, every, _access(table), bool(table.file_sd)))
        except OakumError as error:
            raise config.mistake(f"$.target[{at}].{'url' if table.url else 'file_sd'}", str(error)) from error
    return found


def _named(word: str, service: str, every: float | None, access: Access, is_file: bool = False) -> Named:
    # pid:4711 is a process, and no port of a host called pid
    if not word.startswith(KINDS) and _HOST_PORT.fullmatch(word) and not Path(word).exists():
        word = f"http://{word}"
    if is_file or (not is_live(word) and Path(word).suffix in (".json", ".yml", ".yaml")):
        return Named(word, service, every, access, Path(word))
    if not word.startswith(KINDS):
        raise UsageError(
            f"{bare(word)}: nothing that can be watched; name {', '.join(KINDS)} or a file_sd file (.json, .yml)"
        )
    return Named(bare(word), service, every, access, None, word)


def bare(word: str) -> str:
    """Return a word without user and password."""
    return re.sub(r"(?<=://)[^/?#]*@", "", word)


def _access(table: TargetTable) -> Access:
    made = Access(
        tls_ca=table.tls_ca or None,
        tls_cert=table.tls_cert or None,
        tls_key=table.tls_key or None,
        server_name=table.server_name or None,
        token=os.environ.get(table.token_env, "").strip() or None if table.token_env else None,
        token_file=table.token_file or None,
        kubeconfig=table.kubeconfig or None,
        context=table.context or None,
        namespace=table.namespace or None,
        selector=table.selector or None,
        all_namespaces=table.all_namespaces,
    )
    made.check()
    made.secrets()
    return made
