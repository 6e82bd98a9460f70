"""capture --follow: the targets named -> the processes of this machine that they have connected to, as targets."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from oakum.cli.screen import remark
from oakum.collect.process.peers import follow
from oakum.collect.process.proc import Proc, need_proc
from oakum.collect.process.sockets import listening_on
from oakum.model.errors import UsageError

_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def peers_of(words: Sequence[str]) -> tuple[str, ...]:
    """Return as a target each Go process that one of these asks; say what is followed, and what not."""
    need_proc("--follow")
    begin = {proc.pid: proc for word in words for proc in _local(word)}
    if not begin:
        raise UsageError(
            f"--follow: {', '.join(words)}: no such process on this machine, or nothing listens there; "
            "name one as pid:N or by its address on localhost (`oakum find` lists them)"
        )
    found = follow(begin.values())
    added = []
    for peer in found.peers:
        way = f"{_name(peer.asked_by)} -> {peer.name} (pid {peer.proc.pid}), {peer.address}"
        remark(f"follows {way}" if peer.is_go else f"{way}: no Go program, not captured")
        added += [peer.word] if peer.is_go else []
    for proc, address in found.elsewhere:
        remark(f"{_name(proc)} -> {address}: no process of this machine; capture it where it runs")
    for proc, why in found.unseen:
        remark(f"the sockets of {_name(proc)} cannot be seen: {why}; try as root")
    if found.more:
        remark("there are more processes behind these; name them to capture them")
    if not added:
        remark("no other Go process of this machine is at the far end of a connection")
    return tuple(word for word in dict.fromkeys(added) if word not in words)


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
