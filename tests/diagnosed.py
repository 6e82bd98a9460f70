"""Diagnoses of recordings of the casebook, as `oakum diagnose` makes them at the root of the repository.

Captures are named by relative paths, so that what is written of them is the same on every machine; no source is read,
since not every machine has it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from oakum.cli.case import case
from oakum.diagnose import diagnose
from oakum.model import Diagnosis
from support import ROOT

_98653 = "casebook/kubernetes-98653/captures"
_SICK, _MENDED = f"{_98653}/leaking-go1.26-modcache", f"{_98653}/fixed-go1.26-modcache"
_94 = "casebook/ttrpc-94/captures/leaking-go1.26-modcache"
_30122 = "casebook/rancher-30122/captures"

# name -> the words after `oakum diagnose`
RECORDED: dict[str, tuple[str, ...]] = {
    "leaking": (f"{_SICK}/1-before", f"{_SICK}/3-second", f"{_SICK}/5-later"),
    "healthy": (f"{_MENDED}/1-before", f"{_MENDED}/3-second", f"{_MENDED}/5-later"),
    "undecided": (f"{_SICK}/1-before",),
    "series": (_SICK,),
    "peers": (f"{_94}/kubelet", f"{_94}/containerd", f"{_94}/shim"),
    "twin": ("--baseline", f"{_30122}/twin-go1.26-modcache", f"{_30122}/leaking-go1.26-modcache"),
    "standby": ("--baseline", f"{_98653}/standby-go1.26-modcache", _SICK),
    "locks": ("casebook/lock-cycle-stockroom/captures/leaking-go1.27-trimpath",),
    "container": ("casebook/growing-container-paydesk/captures/leaking-go1.27-trimpath",),
    "outside": ("casebook/off-heap-columnar/captures/leaking-go1.27-trimpath",),
    "simulator": ("casebook/open-simulator-88/captures/leaking-go1.26-modcache",),
    "journal": ("casebook/ttrpc-94/captures/leaking-go1.26-modcache/journal.txt.gz",),
    "timers": ("casebook/finalizer-backlog-scratchd/captures/leaking-go1.27-trimpath",),
}


@contextmanager
def at_the_root() -> Iterator[None]:
    """Work in the root of the repository: there the names of captures lead somewhere."""
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        yield
    finally:
        os.chdir(before)


@cache
def diagnosed(name: str) -> Diagnosis:
    """Return the diagnosis of a recording."""
    words = RECORDED[name]
    baseline = words[1:2] if words[0] == "--baseline" else ()
    with at_the_root():
        made = diagnose(case(words[2:] if baseline else words, baseline))
    return replace(made, called=words)


__all__ = ["RECORDED", "at_the_root", "diagnosed"]
