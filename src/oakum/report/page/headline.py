"""A diagnosis -> its verdict in one sentence that needs no Go to be understood: what, where, how much, how fast, which
known bug, and in which release it is fixed."""

import re
from collections.abc import Sequence

from oakum.model import Finding, Growth, KnownMatch, ProcessRow
from oakum.model.diagnosis import Diagnosis
from oakum.report.page.experiment import answer, beside
from oakum.report.page.since import allocating
from oakum.report.page.speech import Speech

# What a goroutine does, by the beginning of its state as Go prints it.
_DOING = (
    ("chan send", "send"),
    ("chan receive", "receive"),
    ("select", "select"),
    ("IO wait", "io"),
    ("sync.Mutex", "lock"),
    ("sync.RWMutex", "lock"),
    ("semacquire", "lock"),
    ("sync.WaitGroup", "waitgroup"),
    ("sync.Cond", "cond"),
    ("sleep", "sleep"),
)

_STDIN = "-"
FIRST = "notice.programs"  # what has to be known of all the rest
_NOTABLE = 0.01  # of the heap
_STILL = 0.01  # of the whole rise: less in a step is none


def headline(diagnosis: Diagnosis, lang: str, *, bare: bool = False) -> str:
    """Return the verdict in one sentence, in one language; bare: without the known bug, which stands beside it."""
    speech = Speech(lang)
    parts = {"leaking": _leaking, "healthy": _healthy, "undecided": _undecided}[diagnosis.verdict](speech, diagnosis)
    if measured := answer(speech, diagnosis):  # which has the place and the numbers; what else is known comes after it
        proven = any(one.confidence == "proven" for one in diagnosis.findings[:1])
        known_parts = {"leaking": parts[1 if proven else 0 :], "undecided": _suspected(diagnosis, parts)}
        parts = [*measured, *known_parts.get(diagnosis.verdict, ())]
    parts = [*parts, *beside(speech, diagnosis)]
    if bare and diagnosis.verdict == "leaking" and diagnosis.findings and diagnosis.findings[0].known:
        parts = [part for part in parts if part != known(speech, diagnosis.findings[0], diagnosis.findings[0].known[0])]
    told = ("。" if lang == "zh" else ". ").join(part for part in parts if part)
    name = subject(speech, diagnosis)
    if not told:
        said = speech.say(diagnosis.summary)
    else:
        said = speech.word(f"headline.{diagnosis.verdict}", process=name, what=told)
    return speech.glue.join([*(speech.say(one) for one in diagnosis.notices if one.key == FIRST), said])


def subject(speech: Speech, diagnosis: Diagnosis) -> str:
    """Return the process that the page is about: the one of the worst finding, else all of them."""
    names = {row.id: row.name for row in diagnosis.processes}
    if diagnosis.findings:
        site = diagnosis.findings[0].suspect.sites[0]
        name = names.get(site.process, "")
        return speech.name("" if name == _STDIN else name) or speech.word("page.process")
    told = list(dict.fromkeys(row.name for row in diagnosis.processes if row.name not in ("", _STDIN)))
    return speech.name(speech.joined(told)) or speech.word("page.process")


def worst_first(diagnosis: Diagnosis) -> list[ProcessRow]:
    """Return the processes, those with the worst findings first."""
    ranks: dict[str, int] = {}
    for found in diagnosis.findings:
        ranks.setdefault(found.suspect.sites[0].process, found.rank)
    return sorted(diagnosis.processes, key=lambda row: ranks.get(row.id, len(diagnosis.findings) + 1))


def _leaking(speech: Speech, diagnosis: Diagnosis) -> list[str]:
    worst = diagnosis.findings[0] if diagnosis.findings else None
    if worst is None:
        return []
    sure = [found for found in diagnosis.findings if found.confidence != "possible"]
    parts = [what(speech, diagnosis, worst), *(known(speech, worst, one) for one in worst.known[:1])]
    if len(sure) > 1:
        parts.append(speech.word("headline.more", count=len(sure) - 1))
    return parts


def _undecided(speech: Speech, diagnosis: Diagnosis) -> list[str]:
    parts = []
    if diagnosis.findings:
        parts.append(speech.word("headline.strongest", what=what(speech, diagnosis, diagnosis.findings[0])))
    # Go's proof is of goroutines: it settles nothing about memory that none of them holds.
    memory = diagnosis.findings and diagnosis.findings[0].suspect.sites[0].role != "blocked"
    gap = next((one for one in diagnosis.gaps if not memory or one.what.key != "gap.goroutineleak"), None)
    if gap is not None:
        parts.append(speech.say(gap.what).rstrip(".。 "))
    return parts


def _suspected(diagnosis: Diagnosis, parts: Sequence[str]) -> list[str]:
    """Return the strongest suspicion as a sentence of its own, where an experiment says nothing of it."""
    measured = any(one.per_event for found in diagnosis.findings for one in found.suspect.growth)
    return [one[:1].upper() + one[1:] for one in parts[:1] if diagnosis.findings and not measured]


def _healthy(speech: Speech, diagnosis: Diagnosis) -> list[str]:
    snapshots = [row for row in diagnosis.moments if not row.baseline]
    if not snapshots:
        return []
    times = [row.at for row in snapshots if row.at is not None]
    if times and len(times) == len(snapshots) and max(times) > min(times):
        seconds = (max(times) - min(times)).total_seconds()
        parts = [speech.word("headline.compared", moments=len(snapshots), seconds=seconds)]
    else:
        parts = [speech.word("headline.compared-undated", moments=len(snapshots))]
    if len(diagnosis.processes) == 1:
        points = [point for point in diagnosis.timeline if not point.baseline]
        for measure in ("goroutines", "heap_live", "rss"):
            told = [point.totals[measure] for point in points if measure in point.totals]
            if len(told) > 1:
                first, last = (speech.amount(measure, told[at]) for at in (0, -1))
                called = speech.word(f"total.{measure}")
                parts.append(speech.word("headline.from-to", measure=called, first=first, last=last))
    parts = [speech.comma.join(parts)]
    if diagnosis.explained:
        parts.append(speech.word("headline.explained", count=len(diagnosis.explained)))
    return parts


def what(speech: Speech, diagnosis: Diagnosis, found: Finding) -> str:
    """Return what one finding is, with its numbers: half a sentence."""
    suspect = found.suspect
    site = suspect.sites[0]
    function = speech.short(site.frame.function)
    parts: list[str] = []
    if site.frame.function.startswith("("):
        parts += _whole(speech, found)
    elif site.role == "blocked":
        parts.append(_standing(speech, diagnosis, found, function))
        if (share := suspect.share.get("inuse_space", 0.0)) >= _NOTABLE:
            parts.append(speech.word("headline.pins", share=share))
    else:
        parts += _memory(speech, found, function)
    behind = sum(one.count for one in suspect.victims if one.process == site.process)
    # Of a lock the root is a goroutine or two; those behind it are what grows, and they have no series.
    few = site.role == "blocked" and (behind > 4 * suspect.blocked or suspect.blocked < 2)
    speed = "" if few else _speed(speech, suspect.growth, crowd=site.role == "blocked" and behind > suspect.blocked)
    return speech.comma.join([*parts, *([speed] if speed else [])])


def _standing(speech: Speech, diagnosis: Diagnosis, found: Finding, function: str) -> str:
    suspect, process = found.suspect, found.suspect.sites[0].process
    blocked = [one for one in suspect.sites if one.role == "blocked" and one.process == process]
    root = sum(one.count or 0 for one in blocked)
    behind = sum(one.count for one in suspect.victims if one.process == process)
    total = _total(diagnosis, found)
    state = suspect.sites[0].state or ""
    key = next((name for begin, name in _DOING if state.startswith(begin)), "stand")
    if key == "io" and suspect.sites[0].frame.package == "os":  # a pipe, or what the kernel tells of: no network
        key = "file"
    doing = speech.word(f"doing.{key}")
    if total < root + behind:  # no capture tells how many there are in all
        return speech.word("headline.goroutines-alone", count=root, function=function, doing=doing)
    if behind > root:
        return speech.word("headline.behind", count=root + behind, total=total, function=function)
    if root == 1:
        return speech.word("headline.one", total=total, function=function, state=speech.name(state) or "?")
    if more := len({one.frame.function for one in blocked}) - 1:
        doing = doing if len({one.state for one in blocked}) == 1 else speech.word("doing.wait")
        first = sum(one.count or 0 for one in blocked if one.frame.function == blocked[0].frame.function)
        args: dict[str, str | int] = {"count": root, "total": total, "function": function, "doing": doing}
        return speech.word("headline.goroutines-several", more=more, first=first, rest=root - first, **args)
    told = speech.word("headline.goroutines", count=root, total=total, function=function, doing=doing)
    caller = next((one.frame for one in suspect.sites if one.role == "driver" and one.process == process), None)
    if caller is None or suspect.sites[0].frame.owner not in ("stdlib", "runtime"):
        return told
    return told + speech.word("headline.called-from", function=speech.short(caller.function))


def _total(diagnosis: Diagnosis, found: Finding) -> int:
    """Return how many goroutines the process has in all, by its last snapshot; 0 when nothing tells."""
    process = found.suspect.sites[0].process
    points = [point for point in diagnosis.timeline if point.process == process and not point.baseline]
    told = next((point.totals["goroutines"] for point in reversed(points) if "goroutines" in point.totals), 0)
    if told:
        return told
    claims = [one.claim.args.get("total") for one in found.suspect.evidence if one.kind in ("majority", "pile-up")]
    return next((total for total in claims if isinstance(total, int)), 0)


def _memory(speech: Speech, found: Finding, function: str) -> list[str]:
    growth = next((one for one in found.suspect.growth if one.measure == "inuse_space"), None)
    known = [count for count in growth.counts if count is not None] if growth else []
    if len(known) > 1:
        first, last = (speech.amount("inuse_space", known[at]) for at in (0, -1))
        places = allocating(found)
        key = "headline.memory" if places < 2 else "headline.memory-several"
        parts = [speech.word(key, function=function, first=first, last=last, more=places - 1)]
    elif known:
        parts = [speech.word("headline.holds", function=function, last=speech.amount("inuse_space", known[0]))]
    else:
        held = [one.claim.args.get("last") for one in found.suspect.evidence]
        last = next((speech.name(one) for one in held if isinstance(one, str)), "")
        key = "headline.holds" if last else "headline.place"
        parts = [speech.word(key, function=function, last=last)]
    caller = next((site.frame for site in found.suspect.sites if site.role == "driver"), None)
    if caller is not None and found.suspect.sites[0].frame.owner != "own":
        parts.append(speech.word("headline.driven", function=speech.short(caller.function)))
    if (share := found.suspect.share.get("inuse_space", 0.0)) >= _NOTABLE:
        parts.append(speech.word("headline.heap", share=share))
    return parts


def _whole(speech: Speech, found: Finding) -> list[str]:
    """Return what is said of a process of which only numbers are known."""
    growth = next(iter(found.suspect.growth), None)
    known = [count for count in growth.counts if count is not None] if growth else []
    if growth is None or len(known) < 2:
        return [_inside(speech.say(found.title))]
    first, last = (speech.amount(growth.measure, known[at]) for at in (0, -1))
    parts = [speech.word(f"headline.whole.{growth.measure}", first=first, last=last)]
    if share := found.suspect.share.get("rss"):
        parts.append(speech.word("headline.outside", share=share))
    return parts


def _speed(speech: Speech, growths: Sequence[Growth], *, crowd: bool) -> str:
    """Return how fast it grows; of a crowd behind the place only the place itself has a series."""
    for growth in growths:
        if (event := growth.per_event) and event.value > 0 and growth.measure == "goroutines":
            key = "headline.per-event-there" if crowd else "headline.per-event"
            return speech.word(key, value=f"{event.value:.3g}", event=speech.event(event.event))
    for growth in growths:
        if growth.per_hour is not None and growth.per_hour > 0:
            rate = speech.rate(growth.measure, growth.per_hour).removeprefix("+")
            return speech.word("headline.per-hour-grew" if _stands(growth) else "headline.per-hour", rate=rate)
    return ""


def _stands(growth: Growth) -> bool:
    """Tell whether it did not grow any more in the last step: that it grows would be untrue."""
    known = [count for count in growth.counts if count is not None]
    return len(known) > 2 and known[-1] - known[-2] <= _STILL * (known[-1] - known[0])


def known(speech: Speech, found: Finding, one: KnownMatch) -> str:
    """Return which bug it is and where it is fixed; "" when the version that runs has the fix."""
    if one.affects_build == "no":
        return ""
    name = speech.name(one.id)
    module, version = fixed_in(speech, found, one)
    if one.affects_build == "unknown":
        return speech.word("headline.known-perhaps", id=name, module=module)
    key = "headline.known" if one.where == "self" else "headline.known-peer"
    key = key if version else "headline.known-unmended"
    return speech.word(key, id=name, module=module, version=speech.name(" / ".join(one.fixed)) or version)


def fixed_in(speech: Speech, found: Finding, one: KnownMatch) -> tuple[str, str]:
    """Return what to upgrade and to which version, as the remedy calls it: Kubernetes v1.14.8, not its module's."""
    for remedy in found.remedies:
        args = remedy.text.args
        if remedy.kind == "upgrade" and one.upgrade_to and args.get("version") == one.upgrade_to:
            return speech.name(str(args.get("module", one.module))), speech.name(one.upgrade_to)
    module = "Go" if one.module == "std" else one.module
    return speech.name(module), speech.name(one.upgrade_to or speech.joined(one.fixed))


def _inside(sentence: str) -> str:
    """Return a sentence as a part of another: without its full stop, in English without its capital."""
    told = sentence.rstrip(".。 ")
    if re.match(r"[A-Z][a-z]", told) and not re.match(r"Go\b", told):
        return told[0].lower() + told[1:]
    return told
