"""A diagnosis -> its answer at a glance: where, since when, cause, known bug, mitigation, permanent fix, next command.

Of what is inconclusive: where the strongest suspicion is, and the command that settles it. Of the rest: nothing. Its
content is not repeated in the section of the finding.
"""

from collections.abc import Sequence

from oakum.model import Finding, Gap
from oakum.model.diagnosis import Diagnosis
from oakum.report.advice import commands, look_again, origins
from oakum.report.gap_commands import gap_command
from oakum.report.page.blocks import Block, Command, Fact, Link, Para, Places, anchor_of_finding
from oakum.report.page.process_chain import process_chains
from oakum.report.page.since import across_runs, since
from oakum.report.page.speech import Speech
from oakum.report.page.suspects import Suspects
from oakum.report.page.todo import first_steps
from oakum.report.words import WORDS


def glance(speech: Speech, diagnosis: Diagnosis, suspects: Suspects) -> tuple[Fact, ...]:
    """Return the answer in a few labelled lines; each label leads to the section that has the whole."""
    if diagnosis.verdict == "undecided":
        facts = _unsettled(speech, diagnosis, suspects)
    elif diagnosis.verdict == "leaking" and diagnosis.findings:
        facts = _answer(speech, diagnosis, suspects, diagnosis.findings[0])
    else:
        facts = []
    return tuple(Fact(speech.word(label), tuple(blocks), to) for label, blocks, to in facts if blocks)


_Lines = list[tuple[str, Sequence[Block], str]]


def _answer(speech: Speech, diagnosis: Diagnosis, suspects: Suspects, found: Finding) -> _Lines:
    here = f"#{anchor_of_finding(found.id)}"
    now, properly = first_steps(speech, diagnosis, found)
    began = [*since(speech, diagnosis, found), *across_runs(speech, found)]
    return [
        ("finding.where", _where(suspects, found), here),
        ("finding.since", [Para(speech.glue.join(began))] if began else [], here),
        ("glance.driver", _driver(speech, found), here),
        ("glance.cause", _cause(speech, suspects, found), f"{here}-cause" if found.cause else here),
        ("chains.label", process_chains(speech, diagnosis), f"{here}-chain"),
        ("finding.known", _known(suspects, found), here),
        ("do.now", [Para(now)] if now else [], here),
        ("do.properly", [Para(properly)] if properly else [], f"{here}-do"),
        ("label.next", _next(speech, diagnosis, found), f"{here}-check"),
    ]


def _where(suspects: Suspects, found: Finding) -> list[Block]:
    """Return where it is, and the place in one's own code from which that was reached."""
    shown = suspects.first_places(found)
    return [Places(tuple(suspects.standing(one) for one in shown))] if shown else []


def _driver(speech: Speech, found: Finding) -> list[Block]:
    """Return the work that its growth follows, by a range of metrics."""
    claims = [one.claim for one in found.suspect.evidence if one.kind == "follows-work"]
    return [Para(speech.saying(claims[:1]))] if claims else []


def _cause(speech: Speech, suspects: Suspects, found: Finding) -> list[Block]:
    """Return why: what the source says, as many sentences as are read at once, else what the mechanism says."""
    if found.cause is None:
        key = f"mechanism.{found.mechanism}.why"
        return [Para(speech.word(key))] if key in WORDS else []
    count = suspects.first_sentences(found.cause)
    more = " …" if count < len(found.cause.because) else ""
    return [Para(speech.saying(found.cause.because[:count]) + more)]


def _next(speech: Speech, diagnosis: Diagnosis, found: Finding) -> list[Block]:
    """Return what to run next: what shows the cause in the source or the place in the evidence, else another look."""
    following = commands(found, origins(diagnosis), diagnosis.called)
    chosen = following[0] if following else look_again(diagnosis, found.suspect.sites[0].process)
    return [Command(speech.cut(chosen, 6000))]


def _known(suspects: Suspects, found: Finding) -> list[Block]:
    blocks: list[Block] = []
    for one in found.known[:1]:
        address = next((to for to in one.references if to.startswith("https://") and len(to) < 500), "")
        name = suspects.speech.name(one.id)
        blocks += [Link(name, address)] if address else [Para(name)]
        blocks.append(Para(suspects.affected(one)))
    return blocks


def _unsettled(speech: Speech, diagnosis: Diagnosis, suspects: Suspects) -> _Lines:
    """Return where the strongest suspicion stands, and what settles it: the gap that the verdict names, or the next."""
    facts: _Lines = []
    first = next(iter(diagnosis.findings), None)
    here = f"#{anchor_of_finding(first.id)}" if first else ""
    if first is not None:
        facts.append(("finding.where", _where(suspects, first), here))
    gap = settling(diagnosis)
    if gap is not None:
        told, command = speech.saying((gap.what, gap.why)), gap_command(diagnosis, gap, speech.lang)
        to = "#gaps" if len(diagnosis.gaps) > 1 else here
        facts.append(("glance.settle", [Para(told), Command(speech.cut(command, 6000))], to))
    return facts


def settling(diagnosis: Diagnosis) -> Gap | None:
    """Return the gap whose command settles what is inconclusive."""
    if diagnosis.verdict != "undecided":
        return None
    return next((one for one in diagnosis.gaps if gap_command(diagnosis, one)), None)
