"""What targets gave -> a bundle: OUT/<target>/<snapshot>/<file>, manifest.json and SHA256SUMS, perhaps packed.

Each file is written whole as soon as it came, the manifest every second or so: whatever ends the run, what is there can
be read. Secrets of the call are taken out of everything. Threads may call all methods at once.
"""

import json
import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any, Protocol

from msgspec import Struct, field

from oakum import __version__
from oakum.collect.bundle.manifest import MANIFEST, OWN_FILES, SCHEMA, SUMS, stamp
from oakum.collect.bundle.names import safe_name, unique_name
from oakum.collect.bundle.place import beside, claim, earlier, is_packed, pack, remove, write_whole
from oakum.collect.bundle.secrets import Secrets
from oakum.collect.target import LeftOut, Plan, Step, Taken, Target
from oakum.model import Buffer, OakumError, Problem, Text

_OFTEN = 1.0  # seconds between two manifests; more where writing one takes long
_DEEPEST = 6  # of facts


class Redact(Protocol):
    """What `oakum.redact.Redaction` does: names out of a capture, and out of what is told about it."""

    def __call__(self, file: str, data: Buffer) -> bytes | None:
        """Return the bytes with names replaced; None when this cannot be done with bytes of this kind."""

    def name(self, text: str) -> str:
        """Return the token of the name of a target."""

    def file(self, text: str) -> str:
        """Return the name of a file, or a token that keeps its ending."""


class _Snapshot(Struct, eq=False, dict=True):
    folder: str
    number: int
    at: datetime | None
    captures: list[dict[str, Any]] = field(default_factory=list)
    left_out: tuple[LeftOut, ...] = ()
    advice: tuple[Text, ...] = ()
    names: set[str] = field(default_factory=set)


class _Source(Struct, eq=False, dict=True):
    address: str
    name: str
    folder: str
    facts: Mapping[str, object] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    snapshots: dict[str, _Snapshot] = field(default_factory=dict)


class Bundle:
    def __init__(
        self,
        place: Path,
        redact: Redact | None = None,
        secrets: tuple[bytes, ...] | Callable[[], tuple[bytes, ...]] = (),
        force: bool = False,
        worded: Callable[[Problem | Text | str | None], str] = str,
    ) -> None:
        """Claim the place; raise UsageError when it is taken, OakumError when it cannot be written to.

        `worded` returns a problem or a text in English, for the manifest.
        """
        self.place = place
        self._worded = worded
        self._redact, self._secrets = redact, Secrets(secrets)
        self._folder = claim(place, force)
        self._sources: dict[int, _Source] = {}
        self._targets: list[Target] = []  # kept: the numbers above are theirs as long as they live
        self._earlier = earlier(self._folder)  # stays until there is something to put in its place
        self._archive = is_packed(place) and place.exists()  # so does this one
        self._taken = {name.casefold() for name in OWN_FILES} | beside(self._folder, self._earlier)
        self._began = datetime.now(UTC)
        self._times: dict[str, datetime] = {}
        self._sums: dict[str, str] = {}
        self._lock = Lock()  # of the values
        self._pen = Lock()  # of manifest.json
        self._first = Lock()  # of the bundle that was there before
        self._next = 0.0
        self._closed = False

    @property
    def spares(self) -> bool:
        """Tell whether a bundle that was there before is there still, since nothing came to replace it."""
        return bool(self._earlier) or (self._archive and not self._sums)

    @property
    def folder(self) -> Path:
        """Return where its files are until it is packed; they can be read at any time."""
        return self._folder

    def target(self, target: Target) -> str:
        """Return the name of the target's folder, chosen at the first call."""
        return self._source(target).folder

    def snapshot(self, target: Target, number: int, plan: Plan, began: datetime) -> None:
        """Note that a snapshot begins, and what its plan said."""
        source = self._source(target)
        with self._lock:
            snapshot = self._snapshot(source, str(number), number)
            snapshot.at, snapshot.left_out, snapshot.advice = began, plan.left_out, plan.advice
            source.facts = {**source.facts, **plan.facts}
            source.problems += [problem for problem in plan.problems if problem not in source.problems]
        self._note()

    def problem(self, target: Target, problem: Problem) -> None:
        """Note what is wrong with a target as a whole: it died, its time is up."""
        source = self._source(target)
        with self._lock:
            source.problems.append(problem)
        self._note()

    def add(self, target: Target, number: int, taken: Taken) -> str | None:
        """Write what a step gave, and return its path in the bundle; None when it gave nothing that can be kept."""
        source = self._source(target)
        data: Buffer | None = taken.capture.data if taken.capture else None
        problems = list(taken.problems)
        if data is not None:
            data, found = self._secrets.without(data)
            if found:
                problems.append(Problem.of("secret-removed"))
        if data is not None and self._redact is not None:
            data = self._redact(taken.step.file, data)
            if data is None:
                problems.append(Problem.of("not-redacted", file=taken.step.file))
        with self._lock:
            row, path = self._row(source, number, taken, problems, data is not None)
        if data is not None:
            self._replace()
            written = (taken.capture.received_at if taken.step.undated and taken.capture else None) or taken.began
            write_whole(self._folder / path, data, taken.step.at or written)
            digest = sha256(data).hexdigest()
            with self._lock:
                row |= {"bytes": len(data), "digest": f"sha256:{digest}"}
                self._sums[path] = digest
                self._times[path] = taken.step.at or written
        self._note()
        return path if data is not None else None

    def close(self) -> Path:
        """Write the manifest and the digests, pack what is to be packed, and return where the bundle is."""
        with self._lock:
            if self._closed:
                return self.place
            self._closed = True
        if self.spares:
            if self._folder != self.place and not any(self._folder.iterdir()):
                self._folder.rmdir()
            return self.place
        ended = datetime.now(UTC)
        raw = self._write_manifest(ended)
        with self._lock:
            sums = {**self._sums, MANIFEST: sha256(raw).hexdigest()}
            times = {**self._times, MANIFEST: ended, SUMS: ended}
        write_whole(self._folder / SUMS, "".join(f"{sums[path]}  {path}\n" for path in sorted(sums)).encode())
        if is_packed(self.place):
            try:
                pack(self._folder, self.place, times)
            except OakumError as error:
                raise OakumError(f"{error}; what was taken is kept in {self._folder}") from error
        return self.place

    def manifest(self, ended: datetime | None = None) -> dict[str, Any]:
        with self._lock:
            return {
                "schema": SCHEMA,
                "tool": __version__,
                "began": stamp(self._began),
                "ended": stamp(ended),
                "redacted": self._redact is not None,
                "targets": [self._target_row(source) for source in self._sources.values()],
            }

    def _source(self, target: Target) -> _Source:
        with self._lock:
            source = self._sources.get(id(target))
            if source is None:
                name = self._secrets.hidden(target.name)
                if self._redact is not None:
                    name = self._redact.name(name)
                source = _Source(target.address, name, unique_name(safe_name(name), self._taken, folder=True))
                self._sources[id(target)] = source
                self._targets.append(target)
            return source

    @staticmethod
    def _snapshot(source: _Source, folder: str, number: int) -> _Snapshot:
        return source.snapshots.setdefault(folder, _Snapshot(folder, number, None))

    def _row(
        self, source: _Source, number: int, taken: Taken, problems: list[Problem], kept: bool
    ) -> tuple[dict[str, Any], str]:
        """Return the manifest's row of a capture, and the path of its file."""
        step = taken.step
        past, slash, name = step.file.rpartition("/")
        folder = "." if past == "." else safe_name(past, "past") if slash else str(number)  # "./x": of no snapshot
        if slash and past != "." and self._redact is not None:
            folder = self._redact.file(folder)
        snapshot = self._snapshot(source, folder, number)
        snapshot.at = step.at if step.at or step.undated else snapshot.at or taken.began
        name = self._redact.file(name) if self._redact is not None else name
        file = unique_name(safe_name(self._secrets.hidden(name), "capture"), snapshot.names) if kept else ""
        row = self._row_of(step, taken, problems)
        if kept:
            row = {"file": file, **row}
        snapshot.captures.append(row)
        return row, "/".join(part for part in (source.folder, folder, file) if part != ".")

    def _row_of(self, step: Step, taken: Taken, problems: list[Problem]) -> dict[str, Any]:
        times = {"at": stamp(step.at)} if step.at else {}
        if not step.undated:
            times |= {"began": stamp(taken.began), "ended": stamp(taken.ended)}
        if self._redact is not None:
            return {**times, "problems": self._problems(problems)}
        told = self._secrets.hidden
        return {"what": told(step.what), "asked": told(step.ask), **times, "problems": self._problems(problems)}

    def _target_row(self, source: _Source) -> dict[str, Any]:
        """Return the manifest's row of a target; redacted, only what is no text of the other side's."""
        bare = self._redact is not None
        return {
            "address": self._redact.name(source.address) if self._redact else self._secrets.hidden(source.address),
            "name": source.name,
            "folder": source.folder,
            "facts": {str(key): self._plain(value, 0, bare) for key, value in source.facts.items()},
            "problems": self._problems(source.problems),
            "moments": [self._snapshot_row(snapshot, bare) for snapshot in source.snapshots.values()],
        }

    def _snapshot_row(self, snapshot: _Snapshot, bare: bool) -> dict[str, Any]:
        told = self._secrets.hidden
        row: dict[str, Any] = {"folder": snapshot.folder, "number": snapshot.number, "at": stamp(snapshot.at)}
        row["captures"] = [dict(capture) for capture in snapshot.captures]
        if not bare:
            row["left_out"] = [
                {name: told(self._worded(getattr(one, name))) for name in ("what", "why", "how")}
                for one in snapshot.left_out
            ]
            row["advice"] = [told(self._worded(text)) for text in snapshot.advice]
        return row

    def _problems(self, problems: list[Problem]) -> list[dict[str, str]]:
        if self._redact is not None:  # sentences quote what servers say
            return [{"key": problem.key} for problem in problems]
        return [{"key": problem.key, "text": self._secrets.hidden(self._worded(problem))} for problem in problems]

    def _plain(self, value: object, depth: int, bare: bool) -> object:
        """Return a fact as JSON can say it; redacted, only numbers."""
        if value is None or isinstance(value, bool | int):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else str(value)
        if depth < _DEEPEST and isinstance(value, Mapping) and not bare:
            return {self._secrets.hidden(str(key)): self._plain(one, depth + 1, bare) for key, one in value.items()}
        if depth < _DEEPEST and isinstance(value, list | tuple | set | frozenset) and not bare:
            return [self._plain(one, depth + 1, bare) for one in value]
        if isinstance(value, datetime):
            return stamp(value)
        return None if bare else self._secrets.hidden(str(value))

    def _note(self) -> None:
        """Write the manifest when it is time; a thread that finds another one writing goes on."""
        if self._closed or self.spares or monotonic() < self._next or not self._pen.acquire(blocking=False):
            return
        try:
            begun = monotonic()
            self._write()
            self._next = monotonic() + max(_OFTEN, 10 * (monotonic() - begun))
        finally:
            self._pen.release()

    def _replace(self) -> None:
        """Remove the bundle that was there before."""
        with self._first:
            if self._earlier:
                remove(self._folder, self._earlier)
                self._earlier = []

    def _write_manifest(self, ended: datetime) -> bytes:
        with self._pen:
            return self._write(ended)

    def _write(self, ended: datetime | None = None) -> bytes:
        raw = (json.dumps(self.manifest(ended), indent=1, ensure_ascii=True) + "\n").encode()
        write_whole(self._folder / MANIFEST, raw)
        return raw
