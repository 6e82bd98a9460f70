"""Was the code of a finding changed upstream? Findings -> the same findings with leads, asked of the Go module proxy.

Ties collect/code/fetch.py (brings releases) to explain/upstream/history.py (compares them). Slow: only when asked for.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from oakum.explain.upstream.history import Function, first_change
from oakum.model import Finding, Frame, Lead, SourceNotFound, Text

if TYPE_CHECKING:
    from oakum.collect.code.fetch import Fetch
    from oakum.collect.code.sources import LocalSources

_MOST_FUNCTIONS = 6  # of one module: the blocked one, those that make what it waits for, its callers
_MOST_FRAMES = 64
_MOST_MODULES = 2  # of one finding
_ROLES = ("blocked", "created", "registered")


def with_leads(
    findings: Sequence[Finding],
    sources: "LocalSources",
    fetch: "Fetch",
    progress: Callable[[Text], None] = lambda _: None,
) -> tuple[tuple[Finding, ...], tuple[Text, ...]]:
    """Return the findings with what upstream changed later, and warnings of what could not be asked."""
    asked: dict[tuple[str, str, tuple[Function, ...]], Lead | None] = {}
    warnings: dict[str, Text] = {}
    known = []
    for finding in findings:
        leads = []
        for (module, version), functions in _by_module(finding, sources).items():
            key = (module, version, functions)
            if key not in asked:
                progress(Text("progress.upstream", {"module": module, "version": version}))
                asked[key], said = _ask(module, version, functions, fetch)
                warnings |= {f"{one.key} {sorted(one.args.items())}": one for one in said}
            if lead := asked[key]:
                leads.append(lead)
        known.append(replace(finding, suspect=replace(finding.suspect, leads=tuple(leads))) if leads else finding)
    return tuple(known), tuple(warnings.values())


def _by_module(finding: Finding, sources: "LocalSources") -> dict[tuple[str, str], tuple[Function, ...]]:
    """Return the functions whose history may tell, by (module, version that runs), the blocked one first."""
    suspect = finding.suspect
    cause = finding.cause or suspect.cause
    places = [site.frame for site in suspect.sites[:1]]
    places += [site.frame for site in (cause.sites if cause else ())]
    places += [site.frame for site in suspect.sites[1:] if site.role in _ROLES]
    stack = [frame for trace in suspect.traces[:1] for frame in (*trace.frames[:_MOST_FRAMES], trace.created) if frame]
    found: dict[tuple[str, str], dict[tuple[str, str, str], Function]] = {}
    for frame in places:
        _add(frame, sources, found)
    # Who called it is of interest too, a wait is often fixed there; but not what other modules are on the stack.
    telling = set(found)
    for frame in stack:
        known = sources.module_of(frame)
        if known and (known[:2] in telling or not telling):
            _add(frame, sources, found)
            telling = telling or set(found)
    return {module: tuple(functions.values()) for module, functions in list(found.items())[:_MOST_MODULES]}


def _add(
    frame: Frame, sources: "LocalSources", found: dict[tuple[str, str], dict[tuple[str, str, str], Function]]
) -> None:
    known = sources.module_of(frame)
    function = Function.of(frame, known[2]) if known else None
    if not known or not function:
        return
    functions = found.setdefault(known[:2], {})
    if same := functions.get(function.key):
        functions[function.key] = replace(same, lines=tuple(dict.fromkeys((*same.lines, *function.lines))))
    elif len(functions) < _MOST_FUNCTIONS:
        functions[function.key] = function


def _ask(module: str, version: str, functions: Sequence[Function], fetch: "Fetch") -> tuple[Lead | None, list[Text]]:
    from oakum.collect.code.sources import read_directory

    failed: dict[str, Text] = {}

    def read(release: str, directory: str) -> Mapping[str, bytes] | None:
        try:
            root: Path = fetch.module(module, release)
        except SourceNotFound as error:
            failed[release] = error.text
            return None
        return read_directory(root.joinpath(*directory.split("/")))

    try:
        releases = fetch.releases(module)
    except SourceNotFound as error:
        return None, [Text("leads.failed", {"error": error.text})]
    history = first_change(module, version, releases, functions, read)
    said = [Text("leads.failed", {"error": failed[one]}) for one in history.skipped if one in failed]
    if history.lead is None and len(history.looked) > 1:
        names = ", ".join(sorted({str(function) for function in functions} - set(history.missing)))
        args = {"module": module, "names": names, "version": version, "last": history.looked[-1]}
        said.append(Text("leads.unchanged", args))
    return history.lead, said
