"""A job as JSON on stdin -> its result as JSON on stdout, in a process that is killed when it takes too much.

diagnose: files -> a diagnosis, its pictures, the captures apart. keep: the same files into a store, as `oakum store
add` does. bundle: files -> an archive, perhaps redacted. compare: two directories -> changes, pictures, a verdict.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from oakum.model import NotAssembled, OakumError
from oakum.report.words import say
from oakum.report.words.lines import error_line, problem_line

_ROWS_MOST = 400  # of a table of changes
_NAME_MOST = 2000  # characters
_FILES_SAID = 5
_LOOKS = 0.5  # seconds between two looks at whether the server lives


def main() -> None:
    """Do one job."""
    given = msgspec.json.decode(sys.stdin.buffer.read())
    _bound(float(given["seconds"]))
    threading.Thread(target=_end_with, args=(int(given["server"]),), daemon=True).start()
    lang = str(given.get("lang", "en"))
    os.chdir(given.get("folder") or os.curdir)  # names of what was sent say nothing of where it lies
    found: dict[str, Any]
    try:
        found = _JOBS[given["job"]](given)
    except NotAssembled as error:
        found = {"error": _unassembled(error, lang)}
    except OakumError as error:
        found = {"error": error_line(error, lang)}
    except MemoryError:
        found = {"error": "memory"}
    sys.stdout.buffer.write(msgspec.json.encode(found))


def _bound(seconds: float) -> None:
    """Bound what the parent cannot: time of the processor, sizes of files, no dump of memory."""
    try:
        import resource
    except ImportError:  # there is no such call; the parent's clock remains
        return
    for what, most in (
        (resource.RLIMIT_CPU, int(2 * seconds) + 1),
        (resource.RLIMIT_FSIZE, 4 << 30),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (most, most))


def _end_with(server: int) -> None:
    """End when the server was killed: nobody waits for the result any more, and nobody would bound this work."""
    while os.getppid() == server:
        time.sleep(_LOOKS)
    os._exit(1)


def _unassembled(error: NotAssembled, lang: str) -> str:
    told = [say(error.text, lang)]
    for row in error.rows[:_FILES_SAID]:
        why = problem_line(row.problems[0], lang) if row.problems else f"{row.kind} {row.format}"
        told.append(f"{Path(row.origin).name}: {why}")
    return "\n".join(told)


def _diagnose(given: Mapping[str, Any]) -> dict[str, Any]:
    from msgspec.structs import replace

    from oakum.pipeline.case import assemble_case
    from oakum.pipeline.diagnosis import Options, diagnose_case
    from oakum.pipeline.evidence import read_evidence
    from oakum.pipeline.figures import figures
    from oakum.pipeline.saved import looks_saved
    from oakum.report.json import document

    words: list[str] = given["files"]
    place = Path(given["captures"])
    if len(words) == 1 and (saved := looks_saved(words[0])):
        return {"document": document(saved.diagnosis()), "figures": {}, "captures": {}, "left_out": []}
    left_out: list[str] = []
    inputs = read_evidence(words, lambda error: left_out.append(error_line(error, given["lang"])))
    if left_out and not inputs:  # nothing was there to be looked at: why is all that can be said
        return {"error": "\n".join(left_out[:_FILES_SAID])}
    assembled = assemble_case(inputs)
    done = diagnose_case(assembled.case, Options(read_source=False, compile_drafts=False)).diagnosis
    done = replace(done, called=tuple(given["called"]))
    place.mkdir(mode=0o700, exist_ok=True)
    kept: dict[str, str] = {}
    for item in inputs:
        name = item.capture.digest.removeprefix("sha256:")
        if item.capture.digest not in kept:
            (place / name).write_bytes(item.capture.data)
            kept[item.capture.digest] = Path(item.capture.origin).name[:200]
    return {
        "document": document(done),
        "figures": figures(assembled.case, done.findings),
        "captures": kept,
        "left_out": [*left_out, *(say(one, given["lang"]) for one in assembled.warnings)],
    }


def _keep(given: Mapping[str, Any]) -> dict[str, Any]:
    from oakum.store import open_writer
    from oakum.store.adding import add_evidence

    with open_writer(Path(given["store"])) as writer:
        added = add_evidence(writer, given["files"], round(time.time() * 1e6), given.get("service", ""))
    return msgspec.to_builtins(added)  # type: ignore[no-any-return]  # a struct of plain values


def _bundle(given: Mapping[str, Any]) -> dict[str, Any]:
    from oakum.pipeline.bundles import bundle_evidence

    place = bundle_evidence(given["files"], Path(given["place"]), redacted=given["redacted"])
    return {"place": str(place)}


def _compare(given: Mapping[str, Any]) -> dict[str, Any]:
    from oakum.pipeline.changes import compare_snapshots
    from oakum.pipeline.evidence import read_evidence

    before, after = (read_evidence((given[side],)) for side in ("before", "after"))
    changes = compare_snapshots(before, after)
    found: dict[str, Any] = {
        "tables": [_table(one) for one in changes.tables],
        "figures": changes.drawings,
        "missing": changes.missing,
    }
    if given.get("runs"):
        found |= _verified(given["runs"], given["lang"])
    return found


def _table(one: Any) -> dict[str, Any]:
    rows = [row for row in one.rows if row.change]
    return {
        "columns": one.columns,
        "unit": one.unit,
        "measure": one.measure,
        "totals": one.totals,
        "count": len(rows),
        "rows": [
            {"name": [part[:_NAME_MOST] for part in row.name], "values": row.values, "kind": row.kind}
            for row in rows[:_ROWS_MOST]
        ],
    }


def _verified(runs: Mapping[str, str], lang: str) -> dict[str, Any]:
    """Return what became of each finding, or why that cannot be said."""
    from oakum.pipeline.case import assemble_case
    from oakum.pipeline.evidence import read_evidence
    from oakum.pipeline.verification import diagnosed_side
    from oakum.report.verification import document
    from oakum.verify import verify

    try:
        before, after = (
            diagnosed_side(assemble_case(read_evidence((runs[side],))).case) for side in ("before", "after")
        )
    except NotAssembled as error:
        return {"unverified": say(error.text, lang)}
    return {"verification": document(verify(before, after))}


_JOBS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "diagnose": _diagnose,
    "keep": _keep,
    "bundle": _bundle,
    "compare": _compare,
}

if __name__ == "__main__":
    main()
