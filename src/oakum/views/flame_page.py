"""Stack rows -> a flame graph as HTML: one self-contained page, or a part of another; nothing from the network.

Names come from evidence and are hostile: they stand in a JSON block in which no markup can begin, and the page's policy
allows only the two inline parts whose hashes it carries.
"""

import base64
import html
import json
from collections.abc import Sequence
from hashlib import sha256
from importlib import resources
from string import Template
from typing import Any, NamedTuple

import numpy as np

from oakum import __version__
from oakum.model.frame import owner_of
from oakum.views.flame import SMALL, StackRows, Tree, grow
from oakum.views.flame_words import LANGUAGES, words

_INVISIBLE = 0.0002  # of the total: a quarter of a pixel on a wide screen
_MOST_NODES = 24_000  # in each of the two trees
_MOST_BYTES = 1_900_000  # a page that mail and chat still take
_LONGEST = 1000  # characters of a name
# What a graph that is a whole page has besides: the page around a part has its own.
_CONTROLS = (
    '<button type="button" id="theme" title="Dark or light (t)">Theme</button>'
    '<button type="button" id="help" aria-haspopup="dialog" title="Keys (?)">?</button>'
)
# "<" cannot begin a tag or a comment, ">" and "&" cannot end one; U+2028 and U+2029 end a line in old scripts.
_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def page(
    rows: StackRows,
    title: str,
    facts: Sequence[str] = (),
    index: int = 0,
    smallest: float = _INVISIBLE,
    labels: Sequence[str] = (),
) -> str:
    """Return the page.

    `index` is the sample type that it opens with, `facts` are the lines below the graph, `labels` the keys of labels
    that -tagroot and -tagleaf made frames of: those are nobody's code.
    """
    data = _encoded(rows, index, smallest, labels, _MOST_BYTES)
    style, script = _asset("flame.css") + _asset("flame_page.css"), _asset("flame.js")
    policy = (
        f"default-src 'none'; script-src {_source_hash(script)}; style-src {_source_hash(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return Template(_asset("flame.html")).substitute(
        policy=policy,
        version=__version__,
        title=html.escape(title),
        style=style,
        script=script,
        part=_markup("", f"<h1>{html.escape(title)}</h1>", _CONTROLS),
        facts=html.escape("\n".join(facts)),
        words=_json(words("en")),
        data=data,
    )


class Part(NamedTuple):
    """A flame graph to be put into a page of any language."""

    markup: str
    style: str
    script: str
    data: dict[str, str]  # JSON by the id of the block that it is read from
    words: dict[str, dict[str, str]]  # the same by language: of each block only that of the page's


def part(rows: StackRows, name: str, index: int = 0, most_bytes: int = _MOST_BYTES) -> Part:
    """Return the graph as a part of a page; ids in it begin with the name, its data takes no more bytes than that."""
    prefix = f"{name}-"
    data = _encoded(rows, index, _INVISIBLE, (), most_bytes)
    spoken = {lang: {f"{prefix}words": _json(words(lang))} for lang in LANGUAGES}
    return Part(_markup(prefix), _asset("flame.css"), _asset("flame.js"), {f"{prefix}data": data}, spoken)


def _markup(prefix: str, heading: str = "", controls: str = "") -> str:
    template = Template(_asset("flame_part.html"))
    return template.substitute(prefix=prefix, heading=heading, controls=controls)


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).translate(_ESCAPES)


def _asset(name: str) -> str:
    return resources.files("oakum.views").joinpath("assets", name).read_text(encoding="utf-8")


def _source_hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"


def _encoded(rows: StackRows, index: int, smallest: float, labels: Sequence[str], most_bytes: int) -> str:
    most_nodes = _MOST_NODES
    while True:
        trees = [grow(rows, inverted, smallest) for inverted in (False, True)]
        if max(map(len, trees)) <= most_nodes:
            text = _json(_document(rows, trees, index, labels))
            size = len(text.encode("utf-8", "replace"))
            if size <= most_bytes or smallest > 0.1:
                return text
            most_nodes = int(max(map(len, trees)) * most_bytes / size * 0.95)
        smallest = max(smallest * 1.05, *(_least_share(tree, rows, most_nodes) for tree in trees))


def _least_share(tree: Tree, rows: StackRows, most_nodes: int) -> float:
    """Return the least share of the total that a node must have for the tree to have no more nodes than that."""
    shares = (tree.cum / np.maximum(rows.totals, 1)[:, :, None]).max(axis=(0, 1))
    shares[tree.name == SMALL] = 0
    shares[0] = 2  # the root stays
    low, high = 0.0, 1.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        kept = shares >= middle
        folded = np.unique(tree.parent[kept[tree.parent] & ~kept])
        low, high = (low, middle) if kept.sum() + len(folded) <= most_nodes else (middle, high)
    return high


def _document(rows: StackRows, trees: Sequence[Tree], index: int, labels: Sequence[str]) -> dict[str, Any]:
    # Only the names and files that a node refers to, numbered anew.
    names, name_of = _renumbered([tree.name for tree in trees], len(rows.names))
    files, file_of = _renumbered([tree.file for tree in trees], len(rows.files))
    first_file = np.full(len(rows.names), -1)
    first_file[rows.line_name[::-1]] = rows.line_file[::-1]
    places = [rows.files[first_file[n]] if first_file[n] >= 0 else "" for n in names]
    owners = [
        "label" if place in labels else owner_of(rows.names[n], place) for n, place in zip(names, places, strict=True)
    ]
    return {
        "types": [{"type": t.type, "unit": t.unit} for t in rows.sample_types],
        "type": index,
        "compared": rows.compared,
        "names": [rows.names[n][:_LONGEST] for n in names],
        "owners": "".join(owner[0] for owner in owners),
        "files": [rows.files[n][:_LONGEST] for n in files],
        "trees": [
            {
                "parent": tree.parent.tolist(),
                "name": name_of[tree.name].tolist(),
                "file": file_of[tree.file].tolist(),
                "line": tree.line.tolist(),
                "mixed": tree.mixed.astype(int).tolist(),
                "cum": tree.cum.tolist(),
            }
            for tree in trees
        ],
    }


def _renumbered(columns: "Sequence[np.ndarray[Any, np.dtype[np.int32]]]", total: int) -> tuple[list[int], Any]:
    """Return the rows that the columns refer to, and a table from old numbers to new ones; -1 stays -1."""
    used = np.unique(np.concatenate(columns))
    used = used[used >= 0]
    table = np.full(total + 1, SMALL, np.int64)  # row -1, the last, stays -1
    table[used] = np.arange(len(used))
    return used.tolist(), table
