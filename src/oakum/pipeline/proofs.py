"""--prove: findings with a drafted fix -> the same with what tests of the user's code say of it.

Drafting is explain's, running experiment's, the confidence judge's. A stored proof is taken over, not run again.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from msgspec.structs import replace

from oakum.collect.code.sources import LocalSources
from oakum.experiment.call_go import find_go
from oakum.experiment.compile import Go
from oakum.experiment.prove import prove
from oakum.explain.reproducers import drafted_tests
from oakum.judge import judge_again, verdict
from oakum.model import Argument, Diagnosis, Evidence, Finding, Proof, Remedy, Text
from oakum.pipeline.modules import built_in

_SECONDS = 240.0  # for one go command: the packages of a large program are compiled and linked for tests
_MOST_FIXES = 2  # drafts of one finding that are tried

Proofs = Mapping[tuple[str, str], Proof]  # by finding and diff


def prove_fixes(
    diagnosis: Diagnosis, sources: LocalSources, source: Sequence[str], progress: Callable[[Text], None]
) -> tuple[Diagnosis, tuple[Text, ...]]:
    """Return a diagnosis whose drafted fixes were tried by tests, judged by what came of it, and why nothing was."""
    if find_go() is None:
        return diagnosis, (Text("proof.no-go"),)
    if not any(remedy.diff for finding in diagnosis.findings for remedy in finding.remedies):
        return diagnosis, (Text("proof.no-fix"),)
    found: dict[tuple[str, str], Proof] = {}
    for finding in diagnosis.findings:
        for diff in [remedy.diff for remedy in finding.remedies if remedy.diff][:_MOST_FIXES]:
            proof = _proof(finding, diff, sources, source, progress)
            found[finding.id, diff] = proof
            if proof.holds:
                break
    return with_proofs(diagnosis, found), ()


def _proof(
    finding: Finding, diff: str, sources: LocalSources, source: Sequence[str], progress: Callable[[Text], None]
) -> Proof:
    modules = built_in(diff, finding, sources, source)
    if modules is None:
        return Proof(why_not=Text("proof.none.no-draft"))
    progress(Text("progress.drafting-test"))
    drafts = drafted_tests(finding.suspect, sources)
    return prove(drafts, diff, *modules, Go(seconds=_SECONDS), [Path(folder) for folder in source], progress)


def proofs_of(findings: Iterable[Finding]) -> Proofs:
    """Return the proofs that findings have."""
    return {
        (finding.id, remedy.diff): remedy.proof
        for finding in findings
        for remedy in finding.remedies
        if remedy.diff and remedy.proof
    }


def with_proofs(diagnosis: Diagnosis, proofs: Proofs) -> Diagnosis:
    """Return a diagnosis whose fixes have these proofs, judged again."""
    if not proofs:
        return diagnosis
    findings = judge_again(_with_proofs(finding, proofs) for finding in diagnosis.findings)
    said = diagnosis.verdict if diagnosis.verdict == "leaking" or not findings else verdict(findings, compared=True)
    summary = Text(f"verdict.{said}", {"findings": len(findings)})
    return replace(diagnosis, findings=findings, verdict=said, summary=summary)


def _with_proofs(finding: Finding, proofs: Proofs) -> Finding:
    remedies = tuple(_with_proof(finding, remedy, proofs) for remedy in finding.remedies)
    held = [remedy.proof for remedy in remedies if remedy.proof and remedy.proof.holds]
    evidence = (*finding.suspect.evidence, *map(_evidence, held))
    return replace(finding, suspect=replace(finding.suspect, remedies=remedies, evidence=evidence))


def _with_proof(finding: Finding, remedy: Remedy, proofs: Proofs) -> Remedy:
    proof = proofs.get((finding.id, remedy.diff)) if remedy.diff else None
    return replace(remedy, proof=proof) if proof else remedy


def _evidence(proof: Proof) -> Evidence:
    before, after = (", ".join(f"{run.left:,}" for run in runs) for runs in (proof.before, proof.after))
    said: dict[str, Argument] = {"name": proof.name, "times": len(proof.before), "before": before, "after": after}
    digest = f"sha256:{sha256(proof.test.encode()).hexdigest()}"
    return Evidence("proven-by-test", Text("proof.shown", said), digest, proof.path, proof.command)
