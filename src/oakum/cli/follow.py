"""capture --follow: the targets named -> those that they have connected to, as targets.

Processes of this machine are followed hop by hop. Other addresses are looked up in the cluster that kubectl would ask:
Services, pods and kubelets are captured, too; whom these have connected to is seen on their nodes alone.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from oakum.cli.screen import remark
from oakum.collect.process.peers import MOST, follow
from oakum.collect.process.proc import Proc, need_proc
from oakum.collect.process.sockets import listening_on
from oakum.model.errors import UsageError

if TYPE_CHECKING:
    from oakum.collect.scheduler import Open
    from oakum.collect.web.access import Access

_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def peers_of(words: Sequence[str], access: "Access") -> "list[tuple[str, Open]]":
    """Return what opens each that one of these asks; say what is followed, and what not."""
    from oakum.cli.live import target_openers

    need_proc("--follow")
    begin = {proc.pid: proc for word in words for proc in _local(word)}
    if not begin:
        raise UsageError(
            f"--follow: {', '.join(words)}: no such process on this machine, or nothing listens there; "
            "name one as pid:N or by its address on localhost (`oakum find` lists them). "
            "Whom a pod has connected to is seen on its node: oakum capture pid:N --follow"
        )
    found = follow(begin.values())
    added = []
    for peer in found.peers:
        way = f"{_name(peer.asked_by)} -> {peer.name} (pid {peer.proc.pid}), {peer.address}"
        remark(f"follows {way}" if peer.is_go else f"{way}: no Go program, not captured")
        added += [peer.word] if peer.is_go else []
    for proc, why in found.unseen:
        remark(f"the sockets of {_name(proc)} cannot be seen: {why}; try as root")
    # Credentials are those of the cluster where one of its own was named; else of a process here.
    entered = access.by_name() if any(map(_is_in_cluster, words)) else access.by_name().to_strangers()
    in_cluster = _in_cluster(found.elsewhere, entered, MOST - len(added))
    if found.more:
        remark("there are more processes behind these; name them to capture them")
    if not added and not in_cluster:
        remark("no other Go process is at the far end of a connection")
    return [
        *target_openers([word for word in added if word not in words], access.to_strangers()),
        *target_openers([word for word in in_cluster if word not in words], entered),
    ]


def _in_cluster(asked: Sequence[tuple[Proc, str]], access: "Access", room: int) -> list[str]:
    """Return as targets who of the cluster is at addresses that are not of this machine; `room`: for so many."""
    if not asked:
        return []
    from oakum.collect.kubernetes.addresses import Addresses
    from oakum.collect.kubernetes.targets import cluster
    from oakum.model import Unreachable
    from oakum.report.words.lines import error_line

    try:
        known = Addresses(cluster(access))
    except UsageError:
        known = None  # kubectl would know of none either
    words: dict[str, None] = {}
    for proc, address in asked[:MOST]:
        way = f"{_name(proc)} -> {address}"
        try:
            behind = known.behind(address) if known else None
        except Unreachable as error:
            remark(f"the cluster does not say who is at {address}: {error_line(error)}")
            known = behind = None
        if behind is None:
            remark(f"{way}: no process of this machine{' or of the cluster' * bool(known)}; capture it where it runs")
        elif not behind.processes:
            remark(f"{way}: {behind.title} has no pods of its own, not captured")
        elif behind.processes > room:
            remark(f"{way}: {behind.title} has {behind.processes} pods, more than are followed; name some of them")
        elif behind.word not in words:
            remark(f"follows {way}, {behind.title}")
            words[behind.word] = None
            room -= behind.processes
    return list(words)


def _is_in_cluster(word: str) -> bool:
    return word.startswith("kube://")


def _local(word: str) -> Sequence[Proc]:
    """Return the process of this machine that a target names; nothing for one elsewhere."""
    if word.startswith("pid:") and word[4:].isdecimal():
        proc = Proc(int(word[4:]))
        return (proc,) if proc.stat() else ()
    place = urlsplit(word)
    if place.scheme in ("http", "https") and place.hostname in _LOOPBACK:
        return listening_on(place.port or (443 if place.scheme == "https" else 80))
    return ()


def _name(proc: Proc) -> str:
    stat = proc.stat()
    return f"{stat.name if stat else '?'} (pid {proc.pid})"
