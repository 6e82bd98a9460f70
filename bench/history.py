"""A year of services at one minute, as retention leaves it in a store, and two questions beside plain DuckDB.

Rows are made by SQL: two days of every minute, two months of hours, a year of days; a service in twenty leaks at one of
its places. `build` writes parts exactly as the store itself does.
"""

from pathlib import Path

import duckdb

from oakum.model import Capture
from oakum.pipeline.case import input_of
from oakum.store import Limits, engine, open_reader, open_writer
from oakum.store.manifest import DAY, HOUR, Level
from oakum.store.parts import window_length, write_part
from oakum.store.rows import TABLES, Table

DEMO = Path(__file__).resolve().parents[1] / "src" / "oakum" / "cli" / "demo_evidence"
MINUTE = 60_000_000
END = 1_794_000_000_000_000 // (32 * DAY) * (32 * DAY)  # where windows of every level end
PLACES = 80  # of each service: half goroutines, half heap
SERVICES = 200
GROWTH = "growth of all places of one service over 30 days"
TOP = "top ten leaking services"

_COMMON = """'run-' || s || '-' || (t // (11 * {day})) AS run, 'service-' || s AS service, t AS time"""
# Counts that move a little each minute, as those of a service at work do; the leak grows until the next restart.
_NOISE = "CAST(hash(s, {what}, t) % {most} AS BIGINT)"
_LEAK = "CASE WHEN s % 20 = 0 {where} THEN (t % (11 * {day})) // {hour} * {per_hour} ELSE 0 END"
_ROWS = {
    "snapshots": """SELECT {common}, 200 + {noise_40} + {leak_30} AS goroutines,
        104857600 + {noise_8388608} + {leak_4194304} AS heap_live, CAST(t / 1000 AS BIGINT) AS heap_alloc,
        268435456 AS heap_sys, 300000000 + {noise_8388608} AS rss, 1073741824 AS limit_bytes, t / 1e7 AS cpu_seconds,
        t / 1e6 AS work, 'profile' AS detail, 40000 + {noise_4000} AS cost_bytes, 0.004 AS cost_seconds,
        CAST([] AS VARCHAR[]) AS captures FROM services, times""",
    "places": """SELECT {common}, md5(s || '-' || p)[:16] AS place,
        'example.com/shop/service' || s || '/internal/package' || p % 9 || '.(*Handler).serve' || p AS function,
        '/srv/service' || s || '/internal/package' || p % 9 || '/handler.go' AS file, 10 + p AS line,
        CASE WHEN p % 2 = 1 THEN '' ELSE ['chan receive', 'select', 'IO wait', 'chan send'][1 + p % 4] END AS state,
        CASE WHEN p % 2 = 1 THEN 'heap' ELSE 'goroutines' END AS kind,
        CASE WHEN p % 2 = 0 THEN 1 + p % 7 + CASE WHEN p % 10 = 0 THEN {noise_9} ELSE 0 END + {leak_30} END AS count,
        CASE WHEN p % 2 = 1 THEN 524288 * (1 + p % 5) + CASE WHEN p % 5 = 0 THEN 524288 * {noise_3} ELSE 0 END END
            AS live_bytes,
        CASE WHEN p % 2 = 1 THEN t // 1000000 * (1 + p % 5) END AS allocated_bytes FROM services, places, times""",
}


def _filled(name: str) -> str:
    what, where = ("p", "AND p = 0") if name == "places" else ("0", "")
    found = {f"noise_{most}": _NOISE.format(what=what, most=most) for most in (3, 9, 40, 4000, 8_388_608)}
    found |= {f"leak_{per}": _LEAK.format(where=where, day=DAY, hour=HOUR, per_hour=per) for per in (30, 4_194_304)}
    return _ROWS[name].format(common=_COMMON.format(day=DAY), **found)


def build(
    directory: Path, services: int, limits: Limits | None = None, *, places: int = PLACES, days: int = 365
) -> dict[str, int]:
    """Write a store of so many services; return its bytes by level."""
    limits = limits or Limits()
    raw, hour = END - limits.raw_hours * HOUR, END - limits.hour_days * DAY
    spans: tuple[tuple[Level, int, int, int], ...] = (
        ("raw", raw, END, MINUTE),
        ("hour", max(hour, END - days * DAY), raw, HOUR),
        ("day", END - days * DAY, hour, DAY),
    )
    sizes: dict[str, int] = {}
    with open_writer(directory, limits=limits) as writer:
        for level, start, end, step in spans:
            for name in _ROWS:
                table = TABLES[name]
                length = window_length(table, level)
                for window in range(start // length * length, end, length):
                    bounds = max(start, window), min(end, window + length) - step
                    with engine.connected(directory) as connection:
                        rows = _rows(table, level, services, places, bounds, step)
                        number = writer.manifest.number + 1
                        part = write_part(connection, directory, table, level, window, number, rows, bounds)
                    writer.commit([part], ())
                    sizes[level] = sizes.get(level, 0) + part.bytes
        writer.commit((), (), aged_to=END)
    return sizes


def _rows(table: Table, level: Level, services: int, places: int, bounds: tuple[int, int], step: int) -> str:
    extra = []
    for name in table.ranges:
        noise = {"count": 1, "goroutines": 5, "live_bytes": 524_288, "heap_live": 4_194_304, "rss": 4_194_304}[name]
        ends = ("NULL", "NULL") if level == "raw" else (f"{name} - {noise}", f"{name} + {noise}")
        extra += [f"CAST({end} AS BIGINT) AS {name}_{which}" for end, which in zip(ends, ("low", "high"), strict=True)]
    stands_for = {"raw": 1, "hour": 60, "day": 1440}[level]
    made = f"SELECT *, {', '.join(extra)}, '{level}' AS level, {stands_for} AS stands_for FROM ({_filled(table.name)})"
    columns = ", ".join(f"CAST({column} AS {sql}) AS {column}" for column, sql in table.stored.items())
    given = (
        f"services AS (SELECT range AS s FROM range({services})), places AS (SELECT range AS p FROM range({places})), "
        f"times AS (SELECT range AS t FROM range({bounds[0]}, {bounds[1] + step}, {step}))"
    )
    return f"SELECT * FROM (WITH {given} SELECT {columns} FROM ({made}))"


def ask(directory: Path, question: str) -> int:
    """Ask the store; return how many rows the answer has."""
    with open_reader(directory) as reader:
        if question == GROWTH:
            found = reader.growth("service-0", END - 30 * DAY, END)
            assert found["per_hour"][0] > 20, found["per_hour"][:3]
        else:
            found = reader.top(10)
            leaking = [int(name.removeprefix("service-")) % 20 == 0 for name in found["service"].tolist()]
            assert leaking[0], found["service"]
            assert sorted(leaking, reverse=True) == leaking, found["service"]
        return len(next(iter(found.values())))


# The same by hand, over all files: what somebody would type first.
_PLAIN = {
    GROWTH: """SELECT place, regr_slope(coalesce(count, live_bytes), time / 3.6e9) AS per_hour
        FROM read_parquet('{directory}/parts/places/*.parquet')
        WHERE service = 'service-0' AND time >= {start} GROUP BY place, kind, state ORDER BY per_hour DESC""",
    TOP: """SELECT service, avg(slope) AS slope FROM (SELECT service, run, regr_slope(heap_live, time / 3.6e9) AS slope
        FROM read_parquet('{directory}/parts/snapshots/*.parquet') WHERE time >= {day} GROUP BY service, run)
        GROUP BY service ORDER BY slope DESC LIMIT 10""",
}


def ask_plainly(directory: Path, question: str) -> int:
    sql = _PLAIN[question].format(directory=directory, start=END - 30 * DAY, day=END - DAY)
    return len(duckdb.connect().execute(sql).fetchall())


# Beside keeping what was captured: a goroutine and a heap profile of every hour of 30 days, of one service.
RAW_OF = 30 * 24 * 2
RAW = RAW_OF // 4
_PROFILES = ("goroutine.pb.gz", "heap.pb.gz")


def keep_raw(directory: Path) -> int:
    """Write a quarter of the profiles of 30 days; return their bytes."""
    directory.mkdir()
    recorded = [(DEMO / f"after.{name}").read_bytes() for name in _PROFILES]
    for number in range(RAW):
        (directory / f"{number:05}.pb.gz").write_bytes(recorded[number % 2])
    return sum(path.stat().st_size for path in directory.iterdir())


def ask_raw(directory: Path) -> int:
    """Read them all and sum each by its places, as Oakum does; return how many places there were."""
    found = 0
    for path in sorted(directory.iterdir()):
        one = input_of(Capture(path.name, path.read_bytes()), "bench", ("1", path.name))
        for reading in one.readings:
            if (goroutines := reading.goroutines) is not None:
                found += len({group.stack.key for group in goroutines.groups})
            elif (profile := reading.profile) is not None:
                found += len({stack.key for stack in profile.stacks_at(range(len(profile.stacks)))})
    return found
