"""Words of the command line -> targets. To add a kind of target: a module with `open(word, access)`, a line here."""

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, cast

from oakum.collect.target import Target

if TYPE_CHECKING:  # it brings httpcore, and is_live is asked for every file
    from oakum.collect.web.access import Access

# How a word begins, and the module that opens it, imported when one is named: the first that fits wins.
KINDS = (
    ("http://", "oakum.collect.pprof.http"),
    ("https://", "oakum.collect.pprof.http"),
    ("https+insecure://", "oakum.collect.pprof.http"),
    ("unix://", "oakum.collect.pprof.http"),
    ("kube://", "oakum.collect.kubernetes.targets"),
    ("pid:", "oakum.collect.process.pid"),
    ("shim:", "oakum.collect.process.shim"),
    ("journal:", "oakum.collect.process.journal"),
    ("prometheus+", "oakum.collect.history.prometheus"),
    ("pyroscope+", "oakum.collect.history.pyroscope"),
    ("parca+", "oakum.collect.history.parca"),
)


def is_live(word: str) -> bool:
    """Tell whether a word names something that runs, and no file; a file of such a name is meant by ./NAME."""
    return any(word.startswith(prefix) for prefix, _ in KINDS)


def open_targets(words: Iterable[str], access: "Access") -> list[Target]:
    """Return the targets that the words name: one each, or many where a word chooses pods by a label."""
    targets: list[Target] = []
    for word in dict.fromkeys(words):
        module = next(module for prefix, module in KINDS if word.startswith(prefix))
        targets += cast(list[Target], import_module(module).open(word, access))
    return targets
