"""Sentences of sockets: full or nearly, one way or both, with the buffer's size or without; what does not move."""

from msgspec.structs import replace

from chinese import english_in
from oakum.assemble.sockets import blocked_sockets, in_several
from oakum.cli.case import warn
from oakum.model import Socket, Sockets
from oakum.report.words import say

FULL = Socket("u_str", "ESTAB", 300_000, 300_000, "*", "*", 7, 8)
NAMED = replace(FULL, fd=3, peer_pid=12, peer_name="shim", send_used=80_000, send_buffer=100_000)
ONE_WAY = (replace(FULL, received=0), replace(NAMED, received=0), replace(NAMED, received=0, send_used=200_000))
ROWS = (FULL, NAMED, *ONE_WAY) * 3 + (replace(FULL, sent=0),) * 6


def test_both_languages() -> None:
    found = list(blocked_sockets(Sockets(ROWS)))
    assert len({text.key for text in found}) >= 6
    for text in found:
        assert english_in(say(text, "zh")) == [], text
        assert "{" not in say(text, "en")


def test_what_is_the_same_in_several_captures_is_told_once(capsys) -> None:  # type: ignore[no-untyped-def]
    stuck = Sockets((FULL,))
    (text,) = in_several([("1/sockets.txt", stuck), ("2/sockets.txt", stuck)])
    warn([text], "en")
    told = capsys.readouterr().err
    assert told.startswith("oakum: 2/sockets.txt: full both ways: 300,000 bytes wait for inode 8 to read them")
    assert told.endswith("; identical in 2 captures: no progress\n")
    warn([text], "zh")
    assert capsys.readouterr().err.startswith("oakum: 2/sockets.txt：已满，双向：300,000 字节等待 inode 8 读取")
