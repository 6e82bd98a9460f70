"""Wait chains over processes -> pictures for the first screen: a box for each process, counts on what joins them.

And, for the section of the finding that a chain belongs to, what shows each hop.
"""

from collections.abc import Callable, Sequence

from oakum.model import Chain as WaitChain
from oakum.model import ChainEdge, Evidence, Finding
from oakum.model.diagnosis import Diagnosis
from oakum.report.page.blocks import Block, Claim, Claims, Fold, Hops, Node, Para
from oakum.report.page.speech import Speech

_SHOWN = 3  # chains of the first screen; the document has them all


def process_chains(speech: Speech, diagnosis: Diagnosis) -> list[Block]:
    """Return the chains that end at the first finding, or at any where none does."""
    first = diagnosis.findings[0].id if diagnosis.findings else ""
    chains = [one for one in diagnosis.chains if one.finding == first] or list(diagnosis.chains)
    blocks: list[Block] = [_picture(speech, one) for one in chains[:_SHOWN]]
    if left := len(diagnosis.chains) - len(blocks):
        blocks += [Para(speech.word("chains.more", count=left), quiet=True)] if blocks else []
    return blocks


def _picture(speech: Speech, chain: WaitChain) -> Hops:
    """Return one chain as boxes from left to right, the terminal blocker marked; a cycle ends with its first again."""
    asked = [f"{speech.short(edge.waiter.frame.function)}:{edge.waiter.frame.line}" for edge in chain.edges]
    end = chain.edges[-1].blocker.frame
    blocked = (f"{speech.short(end.function)}:{end.line}", *(() if chain.cycle else (speech.word("chains.blocker"),)))
    boxes = [Node(speech.name(edge.waiter.process), (told,)) for edge, told in zip(chain.edges, asked, strict=True)]
    last = speech.name(chain.processes[-1])
    shown = " → ".join(speech.name(name) for name in chain.processes)
    said = speech.word("chains.said-cycle" if chain.cycle else "chains.said", names=shown, last=last)
    labels = tuple(_hop(speech, edge) for edge in chain.edges)
    return Hops((*boxes, Node(last, blocked, "root")), labels, said)


def _hop(speech: Speech, edge: ChainEdge) -> str:
    sure = speech.word(f"confidence.{edge.confidence}")
    return speech.word("chains.hop", protocol=speech.name(edge.protocol), count=edge.count, sure=sure)


def hop_evidence(
    speech: Speech, diagnosis: Diagnosis, found: Finding, claim: Callable[[Finding, Evidence], Claim]
) -> Sequence[Block]:
    """Return what shows each hop of the chains that a finding has, each hop once."""
    hops = {
        (edge.waiter, edge.blocker.process): edge
        for chain in diagnosis.chains
        if chain.finding == found.id
        for edge in chain.edges
    }
    blocks: list[Block] = []
    for edge in hops.values():
        told = {
            "waiter": speech.name(edge.waiter.process),
            "server": speech.name(edge.blocker.process),
            "protocol": speech.name(edge.protocol),
            "sure": speech.word(f"confidence.{edge.confidence}"),
        }
        blocks.append(Para(speech.word("chains.evidence", **told)))
        blocks.append(Claims(tuple(claim(found, one) for one in edge.evidence)))
    return (Fold(speech.word("chains.hops", count=len(hops)), tuple(blocks)),) if blocks else ()


def act_first(speech: Speech, diagnosis: Diagnosis, found: Finding) -> str:
    """Return which process of a chain to act on, and which recover with it; "" where the finding has no chain."""
    mine = [one for one in diagnosis.chains if one.finding == found.id]
    if not mine:
        return ""
    last = mine[0].processes[-1]
    others = [name for one in mine for name in reversed(one.processes) if name != last]  # nearest first
    key = "chains.first-cycle" if any(one.cycle for one in mine) else "chains.first"
    named = speech.joined([speech.name(name) for name in dict.fromkeys(others)])
    return speech.word(key, last=speech.name(last), others=named)
