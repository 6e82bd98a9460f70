"""A diagnosis -> its answer at a glance, beside the verdict: where, why, which known bug, what to do now and properly.

Of what is not settled: where the strongest suspicion stands, and the command that settles it. Of the rest: nothing.
"""

from collections.abc import Sequence

from oakum.model import Finding, Text
from oakum.model.diagnosis import Diagnosis
from oakum.report.page.blocks import Block, Command, Fact, Link, Para, Places, anchor_of_finding
from oakum.report.page.speech import Speech
from oakum.report.page.suspects import Suspects
from oakum.report.page.todo import first_steps
from oakum.report.words import WORDS

_CAUSE_MOST = {"en": 560, "zh": 290}  # characters: what is read before the eye wanders; the section has the rest
_YOURS = ("driver", "registered", "created")  # parts of a place from which one's own code is recognised


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
    return [
        ("finding.where", _where(suspects, found), here),
        ("glance.cause", _cause(speech, found), f"{here}-cause" if found.cause else here),
        ("finding.known", _known(suspects, found), here),
        ("do.now", [Para(now)] if now else [], f"{here}-do"),
        ("do.properly", [Para(properly)] if properly else [], f"{here}-do"),
    ]


def _where(suspects: Suspects, found: Finding) -> list[Block]:
    """Return where it stands, and the place in one's own code from which that was reached."""
    sites = found.suspect.sites
    if sites[0].frame.function.startswith("("):
        return []
    own = [one for one in sites[1:] if one.role in _YOURS and one.frame.owner == "own"]
    own.sort(key=lambda one: _YOURS.index(one.role))
    shown = sites[:1] if sites[0].frame.owner == "own" else (*sites[:1], *own[:1])
    return [Places(tuple(suspects.standing(one) for one in shown))]


def _cause(speech: Speech, found: Finding) -> list[Block]:
    """Return why: what the source says, as many sentences as are read at once, else what the mechanism says."""
    if found.cause is None:
        key = f"mechanism.{found.mechanism}.why"
        return [Para(speech.word(key))] if key in WORDS else []
    told: list[Text] = []
    room = _CAUSE_MOST[speech.lang]
    for one in found.cause.because:
        sentence = speech.say(one)
        room -= len(sentence)
        if told and room < 0:
            break
        told.append(one)
    more = " …" if len(told) < len(found.cause.because) else ""
    return [Para(speech.saying(told) + more)]


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
    if diagnosis.findings:
        found = diagnosis.findings[0]
        facts.append(("finding.where", _where(suspects, found), f"#{anchor_of_finding(found.id)}"))
    gap = next((one for one in diagnosis.gaps if one.command), None)
    if gap is not None:
        facts.append(("glance.settle", [Para(speech.say(gap.what)), Command(speech.cut(gap.command, 6000))], "#gaps"))
    return facts


__all__ = ["glance"]
