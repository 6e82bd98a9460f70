"""The builds that a store knows -> the known upstream bugs that they have, by service: before they bite."""

from collections.abc import Sequence
from functools import lru_cache

from anyio import to_thread
from msgspec import Struct

from oakum.knowledge.carried import carried
from oakum.knowledge.leaks import leaks
from oakum.model import Build, Carried
from oakum.store.rows import RunRow
from oakum.web.records import Records

_BUILDS_KEPT = 4096  # of which the answer is remembered: it takes milliseconds each
_PER_SERVICE = 8  # builds of one service that are looked at: those of its newest runs


class Carrier(Struct, frozen=True):
    """A service, one build of it, and a known bug in that."""

    service: str
    replica: str
    program: str
    version: str
    go: str
    bug: Carried


class Carriers(Struct, frozen=True):
    carriers: tuple[Carrier, ...]
    services: int  # how many were looked at
    unknown: tuple[str, ...]  # services of which no build is known


class Catalogued:
    """What the services of a store carry, looked up anew when something was written: milliseconds for each build."""

    def __init__(self) -> None:
        self._found: tuple[int, Carriers] | None = None

    async def ask(self, records: Records) -> Carriers:
        if not records.present:
            return Carriers((), 0, ())
        batches = await records.ask(lambda reader: reader.batches)
        if self._found is None or self._found[0] != batches:
            rows = await records.ask(lambda reader: reader.runs())
            self._found = batches, await to_thread.run_sync(carriers, rows)
        return self._found[1]


def carriers(runs: Sequence[RunRow]) -> Carriers:
    """Return the known bugs of what each replica of each service ran last."""
    newest: dict[tuple[str, str], RunRow] = {}
    for row in runs:
        key = row.service, row.replica
        if key not in newest or row.first_seen > newest[key].first_seen:
            newest[key] = row
    found: list[Carrier] = []
    builds: dict[str, set[tuple[str, ...]]] = {}
    services: dict[str, bool] = {}
    for (service, replica), row in newest.items():
        known = bool(row.go or row.modules or (row.program and row.version))
        services[service] = services.get(service, False) or known
        build = (row.program, row.version, row.go, *row.modules)
        seen = builds.setdefault(service, set())
        if not known or build in seen or len(seen) >= _PER_SERVICE:
            continue
        seen.add(build)
        found += [
            Carrier(service, replica, row.program, row.version, row.go, bug)
            for bug in _carried(row.program, row.version, row.go, row.modules)
        ]
    found.sort(key=lambda one: (not one.bug.certain, one.service, one.bug.id))
    return Carriers(tuple(found), len(services), tuple(name for name, known in services.items() if not known))


@lru_cache(maxsize=_BUILDS_KEPT)
def _carried(program: str, version: str, go: str, modules: tuple[str, ...]) -> tuple[Carried, ...]:
    named = dict(one.rpartition("@")[::2] for one in modules)
    main = _main(program, named)
    build = Build(
        go=go or None,
        path=program or None,
        main=main or None,
        main_version=named.get(main) or version or None,
        modules={name: told for name, told in named.items() if name != main} if named else None,
    )
    return carried(build, program)


def _main(program: str, modules: dict[str, str]) -> str:
    """Return the module of a program: the longest that its path begins with, of its build or of the catalogue."""
    known = [*modules, *_catalogued()] if not modules else [*modules]
    return max((one for one in known if program == one or program.startswith(f"{one}/")), key=len, default="")


@lru_cache(maxsize=1)
def _catalogued() -> tuple[str, ...]:
    return tuple({one.module for entry in leaks().entries for one in entry.affects})
