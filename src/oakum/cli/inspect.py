"""oakum inspect: what each input is. One row per thing found in it; exit 4 when nothing at all could be used."""

import json
import math
from typing import Any

import click
from msgspec import to_builtins

from oakum.cli.access_options import LiveCommand, live_flags
from oakum.cli.screen import remark, safe, styled
from oakum.model import Capture, Metrics, OakumError, Reading, Sockets

_FIRST_ASKED = {
    "goroutines": "go_goroutines", "resident": "process_resident_memory_bytes",
    "used by the cgroup": "container_memory_usage_bytes", "limit": "container_spec_memory_limit_bytes",
    "OOM kills": "container_oom_events_total", "open files": "process_open_fds",
    "of at most": "process_max_fds",
}  # fmt: skip


@click.command(
    epilog="""Examples:

\b
  oakum inspect dump.txt heap.pb.gz                  two files
  oakum inspect captures/                            a directory
  journalctl -u containerd | oakum inspect --json -  a log
  oakum inspect http://localhost:6060                a running service

Exit codes: 0 every input was recognised, 4 some were not, or could not be read, 2 usage error.

See also: oakum goroutines and oakum top (the contents), docs/formats.md (supported formats).
""",
    cls=LiveCommand,
)
@click.argument("evidence", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help='Print {"inputs": [...]} as JSON, one or more rows per file.')
@live_flags
def command(evidence: tuple[str, ...], as_json: bool, **live: Any) -> int:
    """Identify each input: kind, format, producer, Go version, counts, time and problems.

    The content decides, not the file name: a .txt that holds a gzipped profile is read as one.
    """
    from oakum.cli.evidence import read
    from oakum.cli.live import capture_live
    from oakum.report.words.lines import error_line

    evidence, _ = capture_live(evidence, live)
    unread: list[OakumError] = []
    inputs = read(evidence, unread.append)
    if as_json:
        rows = [row(item.capture, reading) for item in inputs for reading in item.readings]
        rows += [
            {"origin": None, "kind": "unread", "problems": [{"key": "unread", "text": error_line(e)}]} for e in unread
        ]
        click.echo(json.dumps({"inputs": rows}, indent=2, ensure_ascii=False))
    else:
        for item in inputs:
            _show(item.capture, item.readings)
    for error in unread:
        remark(error_line(error))
    known = any(reading.kind != "unknown" for item in inputs for reading in item.readings)
    return 0 if known and not unread else 4


def row(capture: Capture, reading: Reading) -> dict[str, Any]:
    from oakum.report.words import say

    return {
        "origin": capture.origin,
        "digest": capture.digest,
        "bytes": len(capture.data),
        "kind": reading.kind,
        "format": reading.format,
        "wrapping": list(reading.wrapping),
        "where": reading.where,
        "producer": reading.producer,
        "go_version": reading.go_version,
        "taken_at": reading.taken_at.isoformat() if reading.taken_at else None,
        "counts": counts(reading),
        "sample_types": [str(t) for t in reading.profile.sample_types] if reading.profile else [],
        "totals": _totals(reading),
        "memstats": _memstats(reading),
        "build": _build(reading),
        "sockets": _sockets(reading),
        "notes": dict(reading.notes),
        "problems": [{"key": p.key, "text": say(p.text), "where": p.where} for p in reading.problems],
    }


def counts(reading: Reading) -> dict[str, int]:
    from oakum.parse import goroutines

    found: dict[str, int] = {}
    if (all_of_them := goroutines(reading)) is not None:
        found = {"goroutines": all_of_them.total, "groups": len(all_of_them.groups)}
        if all_of_them.declared is not None:
            found |= {"declared": all_of_them.declared, "missing": all_of_them.missing or 0}
        if leaked := sum(group.count for group in all_of_them.groups if group.leaked):
            found["leaked"] = leaked
    if (profile := reading.profile) is not None:
        found |= {
            "samples": profile.samples,
            "locations": len(profile.locations),
            "functions": len(profile.functions),
            "mappings": len(profile.mappings),
        }
    if reading.metrics is not None:
        found["metrics"] = len(reading.metrics)
    if reading.series:
        found["series"] = len(reading.series)
    if reading.log is not None:
        for one in reading.log.tallies:
            found[one.kind] = found.get(one.kind, 0) + one.total
    if reading.sockets is not None:
        found["sockets"] = len(reading.sockets.rows)
    if reading.routes is not None:
        found |= {"services": len(reading.routes.services), "pods": len(reading.routes.pods)}
    if reading.build is not None and reading.build.modules is not None:
        found["modules"] = len(reading.build.modules)
    if reading.build is not None and reading.build.packages is not None:
        found["packages"] = len(reading.build.packages)
    return found


def _build(reading: Reading) -> dict[str, Any] | None:
    if reading.build is None:
        return None
    facts: dict[str, Any] = to_builtins(reading.build)
    return facts | {"packages": sorted(facts["packages"])} if facts["packages"] is not None else facts


def _sockets(reading: Reading) -> dict[str, Any] | None:
    found = reading.sockets
    if found is None:
        return None
    rows = [to_builtins(row) | {"full": row.full, "unread": row.unread} for row in found.rows]
    return {"pid": found.pid, "limits": dict(found.limits), "rows": rows}


def _totals(reading: Reading) -> dict[str, int]:
    profile = reading.profile
    if profile is None:
        return {}
    return {kind.type: int(column.sum()) for kind, column in zip(profile.sample_types, profile.values, strict=False)}


def _memstats(reading: Reading) -> dict[str, Any] | None:
    if reading.memstats is None:
        return None
    figures = to_builtins(reading.memstats)
    return {name: value for name, value in figures.items() if value is not None and not name.startswith("pause")}


def _show(capture: Capture, readings: tuple[Reading, ...]) -> None:
    click.echo(f"{styled(safe(capture.origin), 'bold')}  {_size(len(capture.data))}")
    shown, repeats = "", 0
    for reading in [*readings, None]:
        text = _describe(reading) if reading else ""
        if reading and text == shown:
            repeats += 1  # a log with 35 printed stacks of one goroutine: one line, not 35
            continue
        if repeats:
            click.echo(f"  {styled(f'... and {repeats} more like it', 'dim')}")
        if text:
            click.echo(text)
        shown, repeats = text, 0


def _describe(reading: Reading) -> str:
    from oakum.cli.evidence import problem_lines

    what = [reading.kind, reading.format]
    if reading.wrapping:
        what.append("in " + ", ".join(reading.wrapping))
    if reading.go_version or reading.producer:
        what.append(reading.go_version or reading.producer or "")
    if reading.taken_at:
        what.append(f"{reading.taken_at:%Y-%m-%d %H:%M:%S}Z")
    head = "  " + styled(" · ".join(what), "red" if reading.kind == "unknown" else "cyan")
    lines = [head]
    found = counts(reading)
    parts = [
        f"{number:,} {name.removesuffix('s') if number == 1 else name}"
        for name, number in found.items()
        if name not in ("missing", "declared")
    ]
    if found.get("missing"):
        parts.append(f"{found['missing']:,} missing of {found['declared']:,} announced")
    if parts:
        lines.append("    " + ", ".join(parts))
    if totals := _totals(reading):
        lines.append("    totals: " + ", ".join(f"{safe(name)} {value:,}" for name, value in totals.items()))
    if (metrics := reading.metrics) is not None:
        lines += ["    " + ", ".join(shown)] if (shown := _figures(metrics)) else []
    if (build := reading.build) is not None:
        asked = (build.settings or {}).get("go.mod")
        named = [build.path or build.main, build.main_version, f"go {asked}" if asked else None]
        named += [] if build.linked else ["(what is asked for, not what was linked)"]
        lines += ["    " + " ".join(safe(part) for part in named if part)] if any(named) else []
    if stats := reading.memstats:
        figures = [
            ("heap in use", stats.heap_inuse), ("objects", stats.heap_alloc), ("idle", stats.heap_idle),
            ("released", stats.heap_released), ("heap from OS", stats.heap_sys), ("stacks", stats.stack_sys),
            ("all from OS", stats.sys), ("next GC", stats.next_gc),
        ]  # fmt: skip
        sizes = [f"{name} {_size(value)}" for name, value in figures if value is not None]
        if stats.num_gc is not None:
            sizes.append(f"{stats.num_gc} GCs")
        lines.append("    MemStats: " + ", ".join(sizes))
    lines += [f"    {safe(line)}" for line in _queues(reading.sockets)] if reading.sockets else []
    lines += [f"    {name}: {safe(note)}" for name, note in reading.notes.items()]
    lines += [f"    {styled('!', 'red')} {safe(told)}" for told in problem_lines((reading,))]
    return "\n".join(lines)


def _queues(sockets: Sockets) -> list[str]:
    from oakum.assemble.sockets import blocked_sockets
    from oakum.report.words import say

    return [say(text) for text in blocked_sockets(sockets)]


def _figures(metrics: Metrics) -> list[str]:
    """Return what somebody on call asks of metrics first."""
    told = {name: metrics.total(metric) for name, metric in _FIRST_ASKED.items()}
    return [
        f"{name} {_size(int(value)) if _FIRST_ASKED[name].endswith('_bytes') else f'{int(value):,}'}"
        for name, value in told.items()
        if value is not None and math.isfinite(value)
    ]


def _size(count: int) -> str:
    size = float(count)
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"
