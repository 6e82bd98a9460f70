"""Calls that nobody captured answers -> gaps: which process is to be captured next, and at which address it is."""

from collections.abc import Iterable, Sequence

from oakum.detect.chains.graph import key_of, keys_of
from oakum.detect.chains.nodes import Node
from oakum.detect.chains.wiring import Peer, Wiring
from oakum.model import Gap, Process, Suspect, Text
from oakum.model.text import Argument
from oakum.model.vocabulary import HARMLESS

# Of several that it may be, so many are named.
_NAMED = 3
_UNREAD = "peer-stopped-reading"


def missing_peers(
    calls: Sequence[Node], processes: Sequence[Process], wiring: Wiring, suspects: Sequence[Suspect]
) -> tuple[Gap, ...]:
    """Return a gap for each process whose suspects wait for one that was not captured, the most waiters first."""
    accused = {key for suspect in suspects if suspect.mechanisms[0] not in HARMLESS for key in keys_of(suspect)}
    waiting = [one for one in calls if key_of(one) in accused]
    found: dict[tuple[str, str], Gap] = {}
    for node in sorted(waiting, key=lambda one: -one.count):
        assert node.call is not None
        found.setdefault((node.process.id, node.call.protocol.id), _gap(node, _peers(node, wiring)))
    named = {gap.about for gap in found.values()}
    return (*found.values(), *(gap for gap in _unread(processes, wiring, suspects) if gap.about not in named))


def _unread(processes: Sequence[Process], wiring: Wiring, suspects: Sequence[Suspect]) -> Iterable[Gap]:
    """Yield a gap for each process that is stuck in a write to one that was not captured."""
    writes = {suspect.sites[0].process: suspect for suspect in suspects if suspect.mechanisms[0] == _UNREAD}
    for process in processes:
        if process.id in writes and (peers := wiring.full(process)):
            site = writes[process.id].sites[0]
            args: dict[str, Argument] = {"count": site.count or 0, "process": process.name, "protocol": "socket"}
            args |= {"function": site.frame.function, "peers": ", ".join(peer.title for peer in peers[:_NAMED])}
            yield Gap(Text("gap.peer", args), Text("gap.peer.why", args), process.id, peers[0].about)


def _peers(node: Node, wiring: Wiring) -> list[Peer]:
    """Return who it may be, by the connections of the process: for HTTP/1, one for each that waits."""
    assert node.call is not None
    strangers = wiring.asked(node.process)
    if node.call.protocol.id == "http" and len(strangers) > 1:
        strangers = [min(strangers, key=lambda peer: abs(peer.connections - node.count))]
    return strangers[:_NAMED]


def _gap(node: Node, peers: Sequence[Peer]) -> Gap:
    call = node.call
    assert call is not None
    args: dict[str, Argument] = {
        "count": node.count,
        "process": node.process.name,
        "protocol": call.protocol.id,
        "function": call.frame.function,
        "peers": ", ".join(peer.title for peer in peers),
        "server": call.protocol.server,
    }
    key = "gap.peer-foreign" if call.protocol.server else "gap.peer" if peers else "gap.peer-unknown"
    about = peers[0].about if peers else ""
    if call.protocol.server:
        host, _, port = (peers[0].address if peers else "").rpartition(":")
        about = call.protocol.ask.replace("HOST", host or "HOST").replace("PORT", port or "PORT")
    return Gap(Text(key, args), Text(f"{key}.why", args), node.process.id, about)
