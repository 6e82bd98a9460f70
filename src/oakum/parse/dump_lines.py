"""The lines that a goroutine dump or a text profile is made of, and whether a text is nothing but such lines.

Comes in: any text, perhaps a gigabyte of it. Goes out: yes or no, from small samples. The log dialects are elsewhere: a
plain dump needs none of them.
"""

import re

from oakum.model import Buffer
from oakum.regex import regex

# goroutine 7 [chan send, 12 minutes]:
# goroutine 1 gp=0xc000002380 m=0 mp=0x1a2b [running]:                     (crash modes, Go 1.23+)
# goroutine 22 [select (no cases) (leaked)] {k: "v", pattern: "GET /x"}:   (Go 1.27)
HEADER = rb"goroutine \d+ (?:gp=[^\n\[]{1,80} )?\[[^\]\n]{1,1000}\](?: \{[^\n]*\})?:"
# net/http.(*conn).serve(0xc0000c6320, {0x14ed4a0, 0xc000322000})
CALL = rb"[^\s(\"'>|][^\s(]*\([^\n]*\)"
# created by net/http.(*Server).Serve in goroutine 1
CREATED = rb"created by \S[^\n]*"
# <tab>/usr/local/go/src/net/http/server.go:2969 +0x36c fp=0xc0015a69b0 sp=0xc0015a6990 pc=0x43ae00
POSITION = rb"(?:\t|[ ]{2,})[^\s][^\n]*:\d+(?: \+0x[0-9a-f]+)?(?: fp=0x[^\n]*)?"
# goroutine profile: total 203        heap profile: 83: 374069984 [3300: 14768402720] @ heap/1048576
PROFILE = rb"(?:\w+ profile: total \d+|heap profile: +\d+:[^\n]*)"
# 100 @ 0x4037750 0x4007011           79: 374063104 [3119: 14768390144] @ 0x40104b3
COUNT = rb"\d+(?:: \d+ \[\d+: \d+\])? @(?: 0x[0-9a-f]+)*"
# #<tab>0x42ba3c8<tab>main.channelBlock+0x38<tab>/home/me/channelblock.go:26
NAMED = rb"#\t0x[0-9a-f]+(?:\t[^\n]*)?"

# What a runtime prints around the stacks: panic: boom / [signal SIGSEGV ... / SIGQUIT: quit / PC=0x46ce41 m=0 sigcode=0
# ...additional frames elided... / [originating from goroutine 7]: / rax    0xca / # HeapAlloc = 1892
_AROUND = (
    rb"(?:\t?panic: |fatal error: |\[signal |\[originating |SIG[A-Z]+: |PC=0x|runtime stack:|runtime: |r\w{1,5} +0x"
    rb"|\.\.\.|=== (?:BEGIN|END) |\tgoroutine running on |# )[^\n]*"
)
# The whole of one line, which may be empty.
DUMP_LINE = regex(
    rb"(?:|%b|%b|%b|%b|%b|%b|%b|%b)\r?$" % (HEADER, CALL, CREATED, POSITION, PROFILE, COUNT, NAMED, _AROUND),
    re.MULTILINE,
)
DUMP_LINES = regex(rb"^" + DUMP_LINE.pattern, re.MULTILINE)
# Begins with its word, which is searched for at memory speed, and then looks back whether that begins a line.
HEADER_LINE = regex(rb"goroutine (?<=^goroutine )" + HEADER.removeprefix(rb"goroutine ") + rb"\r?$", re.MULTILINE)

# goroutine 7 [        wherever it stands
HEADER_HINT = regex(rb"goroutine \d+ (?:gp=[^\n\[]{1,80} )?\[")

SPOTS = 8  # places of a text that are looked at
WINDOW = 16 * 1024
LARGE = 1 << 20  # bytes: nothing else need be looked for in a dump of this size


def is_plain(text: Buffer) -> bool:
    """Return whether `text` is a dump from end to end, judged by windows spread over it."""
    size = len(text)
    last = min(SPOTS, -(-size // WINDOW)) - 1  # windows of a small text need not lie on each other
    spots = [i * (size - WINDOW) // last for i in range(last + 1)] if last > 0 else [0]
    headers = 0
    for start in spots:
        window = bytes(text[start : start + WINDOW])
        if start:
            window = window[window.find(b"\n") + 1 :]
        window = window[: window.rfind(b"\n") + 1]
        lines = window.count(b"\n")
        if not lines or len(DUMP_LINES.findall(window)) < 0.98 * lines:
            return False
        here = len(HEADER_LINE.findall(window))
        if here < len(HEADER_HINT.findall(window)):
            return False
        headers += here
    return headers > 0
