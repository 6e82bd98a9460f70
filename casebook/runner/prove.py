"""`prove`: `oakum diagnose --source --prove` on the cases with a drafted fix: who gets a test, and why others do not.

Comes in: cases. Goes out: one row for each drafted fix of a leak that is expected, and the table of docs/prove.md. What
is diagnosed is the first leaking take whose diagnosis drafts a diff, in the folder of the case, as a user would.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from casebook.runner.case import CASEBOOK, Case, Take
from casebook.runner.causes import leaking
from casebook.runner.expectation import expectation
from oakum.model import Finding, Proof

PAGE = CASEBOOK.parent / "docs" / "prove.md"
_BEGIN, _END = "<!-- begin: measured -->", "<!-- end: measured -->"

# | lost-signal-boxoffice | lost-signal | `(*Hall).Reserve`: 6, 6, 6 before, 0, 0, 0 after | 1 | 17 |
_ROW = re.compile(r"(?m)^\| [a-z0-9-]+ \| [a-z-]+ \| .* \| \d+ \| \d+ \|$")


class Row(Struct, frozen=True):
    """What came of one drafted fix."""

    case: str
    mechanism: str
    proof: Proof


def proven(cases: Iterable[Case]) -> Iterator[Row]:
    """Yield a row for each drafted fix of these cases, as they come."""
    for case in cases:
        for take in leaking(case) if case.live != "no" else ():
            if found := [Row(case.name, one.mechanism, proof) for one, proof in _proofs(case, take)]:
                yield from found
                break


def _proofs(case: Case, take: Take) -> Iterator[tuple[Finding, Proof]]:
    from oakum.cli.case import case as read
    from oakum.pipeline.diagnosis import Options, diagnose_case

    source = (str(case.folder), str(CASEBOOK / "modules"))
    if take.build.modfile != "go.mod":  # a user has one
        return
    expected = {one.place.function for one in expectation(case, take.build.name).findings}
    given = read((str(case.captures / take.name),))
    for finding in diagnose_case(given, Options(source, prove=True)).diagnosis.findings:
        if not {site.frame.function for site in finding.suspect.sites} & expected:
            continue
        told = [remedy.proof for remedy in finding.remedies if remedy.proof]
        if told:
            yield finding, next((proof for proof in told if proof.holds), told[0])


def describe(row: Row) -> str:
    """Return one line about a row."""
    proof = row.proof
    if proof.why_not:
        return f"no test: {_why(proof)}"
    before, after = (", ".join(str(run.left) for run in runs) for runs in (proof.before, proof.after))
    return f"`{proof.function}`: {before} before, {after} after"


def _why(proof: Proof) -> str:
    from oakum.report.words import say

    said = say(proof.why_not) if proof.why_not else ""
    return said.replace(f"{CASEBOOK.parent}/", "").rstrip(".")


def write_page(rows: Sequence[Row]) -> None:
    """Put the rows into the table of docs/prove.md, in the place of those that it has of their cases."""
    text = PAGE.read_text(encoding="utf-8")
    measured = {row.case for row in rows}
    kept = [line for line in _ROW.findall(text) if line.split(" | ")[0].removeprefix("| ") not in measured]
    lines = sorted([*kept, *(_line(row) for row in rows)])
    held = sum("| no test: " not in line for line in lines)
    table = (
        _BEGIN,
        f"{held} of {len(lines)} drafted fixes ({held / max(1, len(lines)):.0%}) get a test.",
        "",
        "| case | mechanism | test | drafts run | seconds |",
        "|---|---|---|---|---|",
        *lines,
        _END,
    )
    changed = re.sub(rf"{_BEGIN}.*{_END}", lambda _: "\n".join(table), text, flags=re.DOTALL)
    PAGE.write_text(changed, encoding="utf-8")


def _line(row: Row) -> str:
    return f"| {row.case} | {row.mechanism} | {describe(row)} | {row.proof.tried} | {row.proof.seconds:.0f} |"


__all__ = ["Row", "describe", "proven", "write_page"]
