"""A finding of goroutines -> the picture of who waits for whom: those behind it, the root, who starts it, what is
missing; a node for each process where several are joined."""

from collections.abc import Mapping, Sequence

from oakum.model import Finding, Site, Victim
from oakum.report.page.blocks import Chain, Edge, Node
from oakum.report.page.speech import Speech
from oakum.report.words import WORDS

_LINES_MOST = 5  # sites in one node
VICTIMS_MOST = 6  # the others are counted together
_CIRCLE = "lock-cycle"


def chain(speech: Speech, found: Finding, names: dict[str, str]) -> Chain | None:
    """Return the picture; None for memory that no goroutine holds."""
    blocked = [site for site in found.suspect.sites if site.role == "blocked"]
    if not blocked or blocked[0].frame.function.startswith("("):
        return None
    picture = _Picture(speech, found, names)
    roots, behind = parties(found)
    picture.roots(roots)
    picture.victims(behind)
    picture.origin(blocked[0])
    picture.missing()
    said = [picture.told(roots), *picture.said]
    glue = "" if speech.lang == "zh" else " "
    return Chain(speech.word("chain.title"), tuple(picture.nodes), tuple(picture.edges), glue.join(said))


def parties(found: Finding) -> tuple[Sequence[Site | Victim], Sequence[Site | Victim]]:
    """Return those who stand at the root, and those who wait because of them.

    Where the source shows that locks are taken in two orders, the roots are those at the second lock, however few they
    are: the crowd waits for what they hold.
    """
    suspect = found.suspect
    blocked = [site for site in suspect.sites if site.role == "blocked"]
    if found.mechanism == _CIRCLE and found.cause:
        second = {(one.frame.file, one.frame.line) for one in found.cause.sites if one.role == "locked-second"}
        inside = [one for one in suspect.victims if (one.frame.file, one.frame.line) in second]
        if inside and not any((site.frame.file, site.frame.line) in second for site in blocked):
            return inside, [*blocked, *(one for one in suspect.victims if one not in inside)]
    return blocked, suspect.victims


def because(one: Site | Victim) -> str:
    """Return the key of why it waits."""
    return f"because.{one.because if isinstance(one, Victim) else 'same lock'}"


class _Picture:
    """The nodes and edges while they are drawn."""

    def __init__(self, speech: Speech, found: Finding, names: dict[str, str]) -> None:
        self.speech, self.found, self.names = speech, found, names
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []
        self.said: list[str] = []
        self.of: dict[str, int] = {}  # process -> the node of its root

    def roots(self, blocked: Sequence[Site | Victim]) -> None:
        """Draw where goroutines stand: one node a process; in a circle of locks one for each that holds one."""
        circle = self.found.mechanism == _CIRCLE and len(blocked) > 1
        groups: dict[tuple[str, int], list[Site | Victim]] = {}
        for at, site in enumerate(blocked):
            groups.setdefault((site.process, at if circle else 0), []).append(site)
        for (process, _), sites in groups.items():
            self.of.setdefault(process, len(self.nodes))
            self.nodes.append(self._node(sites, "root"))
        roots = range(len(self.nodes))
        if circle:
            told = self.speech.word("chain.holds")
            self.edges += [Edge(at, (at + 1) % len(roots), told) for at in roots]
        else:  # the first is where it is told; the other processes wait for that one
            self.edges += [Edge(at, 0, self.speech.word("chain.peer")) for at in roots[1:]]

    def _node(self, sites: Sequence[Site | Victim], tone: str) -> Node:
        first = sites[0]
        lines = [self._standing(site, named=len(sites) > 1) for site in sites[:_LINES_MOST]]
        if len(sites) > _LINES_MOST:
            lines.append(self.speech.word("count.more", count=len(sites) - _LINES_MOST))
        if len(self.names) > 1:
            lines.append(self.speech.word("chain.process", name=self.speech.name(self.names.get(first.process, "?"))))
        title = self.speech.short(first.frame.function)
        return Node(title, tuple(lines), "root" if tone == "root" else "victim")

    def _standing(self, site: Site | Victim, *, named: bool) -> str:
        facts = [self.speech.short(site.frame.function)] if named else []
        if site.count is not None:
            facts.append(self.speech.word("count.goroutines", count=site.count))
        state = f" [{self.speech.name(site.state)}]" if site.state else ""
        return f"{self.speech.comma.join(facts)}{state}".strip()

    def victims(self, victims: Sequence[Site | Victim]) -> None:
        for victim in victims[:VICTIMS_MOST]:
            label = self.speech.word(because(victim))
            self.edges.append(Edge(len(self.nodes), self.of.get(victim.process, 0), label))
            self.nodes.append(self._node([victim], "victim"))
        if len(victims) > VICTIMS_MOST:
            rest = victims[VICTIMS_MOST:]
            told = self.speech.word("count.goroutines", count=sum(one.count or 0 for one in rest))
            self.edges.append(Edge(len(self.nodes), 0, self.speech.word("chain.waits")))
            self.nodes.append(Node(self.speech.word("count.more", count=len(rest)), (told,)))
        if victims:
            self.said.append(self.speech.word("chain.said-behind", count=sum(one.count or 0 for one in victims)))

    def origin(self, root: Site) -> None:
        created = [s for s in self.found.suspect.sites if s.role == "created" and s.process == root.process]
        if not created:
            return
        frame = created[0].frame
        spot = f"{frame.file.rpartition('/')[2]}:{frame.line}" if frame.file else ""
        self.edges.append(Edge(len(self.nodes), 0, self.speech.word("chain.started")))
        name = self.speech.short(frame.function)
        self.nodes.append(Node(name, (self.speech.name(spot),) if spot else (), "origin"))
        self.said.append(self.speech.word("chain.said-started", function=name))

    def missing(self) -> None:
        """Draw what they wait for and does not come, with the lines of source that say so."""
        key = f"missing.{self.found.mechanism}"
        if key not in WORDS or self.found.mechanism == _CIRCLE:
            return
        spots: dict[str, dict[str, list[int]]] = {}
        for site in self.found.cause.sites if self.found.cause else ():
            if site.role.startswith(("never-", "no-deadline", "stopped-without")) and site.frame.file:
                file = site.frame.file.rpartition("/")[2]
                spots.setdefault(site.role, {}).setdefault(file, []).append(site.frame.line)
        lines = [self._spots(role, files) for role, files in list(spots.items())[:_LINES_MOST]]
        label = self.found.suspect.sites[0].state or self.speech.word("chain.waits")
        self.edges.append(Edge(0, len(self.nodes), self.speech.name(label)))
        self.nodes.append(Node(self._missing(key), tuple(lines), "missing"))

    def _missing(self, key: str) -> str:
        """Return what does not come; of a suspicion nobody knows."""
        told = self.speech.word(key)
        return self.speech.word("missing.perhaps", what=told) if self.found.confidence == "possible" else told

    def _spots(self, role: str, files: Mapping[str, list[int]]) -> str:
        """Return the lines of source that have one part in it: not received on this way: runner.go:134, 135, 150."""
        key = f"cause.role.{role}"
        told = self.speech.word(key) if key in WORDS else self.speech.name(role)
        places = [
            f"{self.speech.name(file)}:{', '.join([*map(str, sorted(set(lines))[:_LINES_MOST]), *_more(lines)])}"
            for file, lines in list(files.items())[:_LINES_MOST]
        ]
        return f"{told}{self.speech.colon}{self.speech.stop.join(places)}"

    def told(self, blocked: Sequence[Site | Victim]) -> str:
        """Return the picture's middle in a sentence."""
        many = sum(site.count or 0 for site in blocked if site.process == blocked[0].process)
        count = self.speech.word("count.goroutines", count=many)
        key = f"missing.{self.found.mechanism}"
        if key not in WORDS:
            return self.speech.word("chain.said-unknown", who=count)
        perhaps = "-perhaps" if self.found.confidence == "possible" else ""
        said = f"chain.said-one{perhaps}" if many == 1 else f"chain.said{perhaps}"
        return self.speech.word(said, who=count, what=self.speech.word(key))


def _more(lines: Sequence[int]) -> list[str]:
    return ["…"] if len(set(lines)) > _LINES_MOST else []


__all__ = ["VICTIMS_MOST", "because", "chain", "parties"]
