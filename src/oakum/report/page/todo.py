"""A finding -> what to do about it now, properly and upstream, and how to check afterwards that it is fixed."""

from collections.abc import Iterator, Sequence

from oakum.model import Attempt, Finding, KnownMatch, Lead, Proof, Remedy
from oakum.model.diagnosis import Diagnosis
from oakum.report.advice import commands, look_again, origins, remedies
from oakum.report.page.blocks import Block, Code, CodeLine, Command, Diff, Fact, Facts, Fold, Link, Para
from oakum.report.page.charts import at_a_glance
from oakum.report.page.derive import Derive
from oakum.report.page.process_chain import act_first
from oakum.report.page.speech import Speech
from oakum.report.words import say, size

_DIFF_LINES, _DIFF_MOST = 160, 16_000
_SENT = frozenset({"request", "run", "second"})  # units of `oakum reproduce`
_TEST_LINES = 400  # a drafted test has about a hundred
STUCK = ("double-lock", "lock-cycle", "lock-held-while-waiting")  # work stands still before memory runs out


def todo(speech: Speech, diagnosis: Diagnosis, found: Finding, *, answered: bool = False) -> tuple[Block, ...]:
    """Return what to do: mitigation, permanent fix, upstream; `answered`: what `first_steps` has is said already."""
    now, properly = (blocks[1 if answered else 0 :] for blocks in _steps(speech, diagnosis, found))
    facts = (("now", now), ("properly", properly), ("upstream", _upstream(speech, found, named=answered)))
    shown = tuple(Fact(speech.word(f"do.{name}"), tuple(blocks)) for name, blocks in facts if blocks)
    return (Facts(shown),) if shown else ()


def first_steps(speech: Speech, diagnosis: Diagnosis, found: Finding) -> tuple[str, str]:
    """Return the first thing to do now, and the first to do properly; "" where there is none."""
    now, properly = (
        next((one.text for one in blocks if isinstance(one, Para)), "") for blocks in _steps(speech, diagnosis, found)
    )
    if properly and any(one.diff for one in found.remedies):
        properly += f"{'' if speech.lang == 'zh' else ' '}{speech.word('glance.drafted')}"
    return now, properly


def _steps(speech: Speech, diagnosis: Diagnosis, found: Finding) -> tuple[list[Block], list[Block]]:
    advice = remedies(found)
    general = not found.remedies  # what follows from the mechanism is how to fix it, not how to get through the night
    now = [one for one in advice if one.kind == "mitigate" and not general]
    properly = [one for one in advice if one.kind != "mitigate" or general]
    return (
        [*_at_once(speech, diagnosis, found, now), *(block for one in now for block in remedy_blocks(speech, one))],
        [block for one in properly for block in remedy_blocks(speech, one, kind=not general)],
    )


def _at_once(speech: Speech, diagnosis: Diagnosis, found: Finding, mitigations: Sequence[Remedy]) -> list[Block]:
    """Return the one thing that helps with every leak until it is fixed, and how long it can wait.

    Of a suspicion: to settle it first. Nothing where the catalogue itself says when to restart.
    """
    if found.confidence == "possible":
        return [Para(speech.word("do.settle"))]
    if any("restart" in say(one.text).lower() for one in mitigations):
        return []
    if first := act_first(speech, diagnosis, found):
        return [Para(first)]
    process = found.suspect.sites[0].process
    name = next((row.name for row in diagnosis.processes if row.id == process), "")
    key = "do.restart-stuck" if found.mechanism in STUCK else "do.restart"
    told: list[Block] = [Para(speech.word(key, process=speech.name(name) or speech.word("page.process")))]
    memory = next((one for one in diagnosis.memory if one.process == process), None)
    if memory and memory.limit is not None and memory.full_in_seconds is not None:
        told.append(Para(speech.word("do.restart-in", limit=size(memory.limit), seconds=memory.full_in_seconds)))
    return told


def remedy_blocks(speech: Speech, remedy: Remedy, *, kind: bool = False) -> list[Block]:
    """Return one thing to do, with its diff, whether that compiled, and its risk."""
    before = f"{speech.word(f'remedy.{remedy.kind}')}{speech.colon}" if kind else ""
    risk = speech.word("remedy.risk", risk=speech.say(remedy.risk)) if remedy.risk else ""
    text = before + speech.say(remedy.text)
    if not remedy.diff:
        return [Para(f"{text}{speech.glue}{risk}" if risk else text)]
    compiled = speech.word("remedy.compiled" if remedy.compiled else "remedy.not-compiled")
    quiet = [Para(one, quiet=True) for one in (compiled, risk) if one]
    proof = _proof_blocks(speech, remedy.proof) if remedy.proof else ()
    return [Para(text), Diff(_cut(speech, remedy.diff)), *quiet, *proof]


def _proof_blocks(speech: Speech, proof: Proof) -> Iterator[Block]:
    """Yield what a test says of a drafted fix, and the test; or why there is none."""
    if proof.why_not:
        yield Para(speech.word("proof.none", why=speech.say(proof.why_not)), quiet=True)
        return
    before, after = (_left(runs) for runs in (proof.before, proof.after))
    words: dict[str, str | int] = {
        "calls": f"`{speech.name(proof.function)}`",
        "count": proof.calls,
        "times": len(proof.before),
    }
    yield Para(speech.word(f"proof.holds.{proof.measures}", before=before, after=after, **words))
    lines = proof.test.removesuffix("\n").split("\n")[:_TEST_LINES]
    title = speech.word("proof.test", path=speech.name(proof.path))
    yield Fold(title, (Code(proof.path, tuple(CodeLine(0, line) for line in lines)),))
    yield Command(proof.command, speech.word("proof.command"))


def _left(runs: Sequence[Attempt]) -> str:
    return ", ".join(f"{run.left:,}" for run in runs)


def _cut(speech: Speech, diff: str) -> str:
    lines = diff.removesuffix("\n").split("\n")
    shown = "\n".join(lines[:_DIFF_LINES])
    if len(shown) > _DIFF_MOST:
        shown = speech.cut(shown, _DIFF_MOST)
    if len(lines) > _DIFF_LINES:
        shown += "\n" + speech.word("diff.more", count=len(lines) - _DIFF_LINES)
    return shown


def _upstream(speech: Speech, found: Finding, *, named: bool) -> list[Block]:
    blocks: list[Block] = []
    for one in found.known[:3]:
        blocks.append(Para(_knows(speech, one)))
        blocks += [] if named else [Link(address, address) for address in _addresses(one)[:1]]
    for lead in found.leads:
        blocks += lead_blocks(speech, lead)
    return blocks or [Para(_unknown(speech, found))]


def _knows(speech: Speech, one: KnownMatch) -> str:
    if one.affects_build == "no":
        key = "do.upstream.has-fix"
    elif one.fault == "usage" and not one.fixed:
        key = "do.upstream.usage"
    elif one.affects_build == "unknown":
        key = "do.upstream.perhaps"
    else:
        key = "do.upstream.mended" if one.fixed else "do.upstream.unmended"
    return speech.word(key, id=speech.name(one.id), module=speech.name("Go" if one.module == "std" else one.module))


def _addresses(one: KnownMatch) -> list[str]:
    return [address for address in one.references if address.startswith("https://") and len(address) < 500]


def lead_blocks(speech: Speech, lead: Lead) -> list[Block]:
    """Return which release changed this code, with the change to be unfolded."""
    names = speech.joined(
        [*(speech.short(one) for one in lead.functions[:5]), *(["…"] if len(lead.functions) > 5 else [])]
    )
    words = {"module": speech.name(lead.module), "changed": speech.name(lead.changed)}
    key = "lead.changed-lines" if lead.at_lines else "lead.changed"
    told = speech.word(key, **words, running=speech.name(lead.running), functions=names)
    blocks: list[Block] = [Para(told[:1].upper() + told[1:])]
    if lead.diff:
        title = speech.word("do.lead-diff", module=words["module"], version=words["changed"])
        blocks.append(Fold(title, (Diff(_cut(speech, lead.diff)),)))
    return blocks


def _unknown(speech: Speech, found: Finding) -> str:
    """Return whom to tell of what no catalogue has: by whose code the goroutines stand in, or allocate."""
    frame = found.suspect.sites[0].frame
    if frame.function.startswith("("):
        return speech.word("do.upstream.nobody")
    others = [site.frame for site in found.suspect.sites[1:] if site.role in ("driver", "registered", "created")]
    others += [site.frame for site in found.cause.sites] if found.cause else []
    caller = next((one for one in others if one.owner == "own"), None)
    if frame.owner == "dependency":
        module = speech.name(frame.module[0] if frame.module else frame.package)
        if caller is None:
            return speech.word("do.upstream.report", module=module)
        allocates = found.suspect.sites[0].role == "allocated"
        key = "do.upstream.allocates" if allocates else "do.upstream.driven"
        return speech.word(key, module=module, function=speech.short(caller.function))
    own = frame if frame.owner == "own" else caller
    if own is None or not own.package:
        return speech.word("do.upstream.nobody")
    return speech.word("do.upstream.own", package=speech.name(own.package))


def checks(speech: Speech, diagnosis: Diagnosis, derive: Derive, found: Finding) -> tuple[Block, ...]:
    """Return what to run once it is fixed, what must come out, and what shows the place as it is now."""
    process = found.suspect.sites[0].process
    sent = any(one.process == process and one.unit in _SENT for one in diagnosis.trials)
    if sent and (compare := derive.verified("after.tar.gz")):
        blocks: list[Block] = [Para(speech.word("check.reproduce")), Command(compare, speech.word("check.compare"))]
    else:
        blocks = [
            Para(speech.word("check.run")),
            Command(look_again(diagnosis, process), speech.word("check.about")),
            Para(speech.word("check.verdict", id=speech.name(found.id))),
        ]
    growth = next((one for one in found.suspect.growth if len(one.counts) > 1), None)
    if growth is not None:
        known = at_a_glance(speech, growth.measure, growth.counts)
        site = found.suspect.sites[0].frame.function
        words = {"function": speech.short(site), "what": speech.word(f"measure.{growth.measure}")}
        key = "check.counts-whole" if site.startswith("(") else "check.counts"
        blocks.append(Para(speech.word(key, counts=" → ".join(known), **words)))
    following = commands(found, origins(diagnosis)) or tuple(
        one for growth in found.suspect.growth[:1] if (one := derive.growth(found, growth))
    )
    if following:
        blocks += [Para(speech.word("check.here")), *(Command(speech.cut(one, 6000)) for one in following[:3])]
    return tuple(blocks)
