"""Call graph -> Graphviz DOT, the picture people know from `pprof -png`.

Boxes are as large as flat, colours follow cum, arrows the value passed on. Every name is evidence: it is
escaped, and can neither end a quoted string nor start an escape of Graphviz.
"""

import math
import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from oakum.views import measure
from oakum.views.callgraph import MOST_TAGS, Call, CallGraph
from oakum.views.nodes import base_name
from oakum.views.nodetags import Tag
from oakum.views.report import headings

# github.com/x/y/v2.(*T).M -> github.com/x/y.(*T).M
_GO_VERSION = re.compile(r"^(.*?)/v(?:[2-9]|[1-9][0-9]+)([./].*)$")
_SHORTER = (
    # github.com/x/y.(*T).M -> y.(*T).M
    re.compile(r"^(?:[\w\-.]+/)+([^.]+\..+)", re.ASCII),
    # java.util.concurrent.ThreadPoolExecutor.runWorker(Worker) -> ThreadPoolExecutor.runWorker
    re.compile(r"^(?:[a-z]\w*\.)*([A-Z][\w$]*\.(?:<init>|[a-z][\w$]*(?:\$\d+)?))(?:\(|$)", re.ASCII),
    # base::internal::RunnableAdapter::Run<int> -> RunnableAdapter::Run<int>
    re.compile(r"^(?:[_a-zA-Z]\w*::)+(_*[A-Z]\w*::~?[_a-zA-Z]\w*(?:<.*>)?)", re.ASCII),
)
_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_LONGEST = 2000  # characters of a name that are looked at
_KEY = (
    "Box: own value (share) of value with callees. Larger letters: more of its own.",
    "Arrow: value passed to the callee. Dashed: over frames that are left out.",
)
_KEY_COMPARED = "Red: more than in the base. Blue: less."


def lines(graph: CallGraph) -> Iterator[str]:
    report, shown = graph.report, graph.shown
    nodes = shown.nodes
    title = base_name(report.profile.mappings[0].file) if report.profile.mappings else ""
    number = {node: i + 1 for i, node in enumerate(shown.order)}
    callers = {call.caller for call in graph.calls}
    largest = max((abs(nodes.flat_value(node)) for node in shown.order), default=0)
    yield f'digraph "{escaped(title or "unnamed")}" {{'
    yield 'node [style=filled fillcolor="#f8f8f8" fontname="Helvetica,Arial,sans-serif"]'
    yield 'edge [fontname="Helvetica,Arial,sans-serif"]'
    yield from _legend(graph, title)
    parents = set()
    for node in shown.order:
        yield _node(graph, node, number[node], largest)
        tags = list(_tags(graph, node, f"N{number[node]}", node in callers))
        if tags:
            parents.add(node)
        yield from tags
    for call in graph.calls:
        yield _edge(graph, call, number, call.caller in parents)
    yield "}"


def _legend(graph: CallGraph, title: str) -> Iterator[str]:
    report, shown = graph.report, graph.shown
    labels = headings(report, shown)
    if report.total and shown.dropped_edges:
        least = graph.report.formatted(abs(int(float(report.total) * report.query.edgefraction)), shown.unit)
        plural = "edges" if shown.dropped_edges > 1 else "edge"
        at = next((i for i, text in enumerate(labels) if text.startswith("Showing top ")), len(labels))
        labels.insert(at, f"Dropped {shown.dropped_edges} {plural} (freq <= {least})")
    labels += ["", *_KEY]
    if any(shown.nodes.cum_value(node) < 0 for node in shown.order):
        labels.append(_KEY_COMPARED)
    text = "".join(f"{escaped(label)}\\l" for label in labels)
    box = f'shape=box fontsize=16 label="{text}" tooltip="{escaped(title)}"'
    yield f'subgraph cluster_L {{ "{escaped(labels[0])}" [{box}] }}'


def _node(graph: CallGraph, node: int, number: int, largest: int) -> str:
    report, nodes, unit = graph.report, graph.shown.nodes, graph.shown.unit
    flat, cum = nodes.flat_value(node), nodes.cum_value(node)
    flat_text, cum_text = report.formatted(flat, unit), report.formatted(cum, unit)
    value = f"{flat_text} ({_share(flat, report.total)})" if flat else "0"
    if cum != flat:
        value += ("\\n" if flat else " ") + f"of {cum_text} ({_share(cum, report.total)})"
    # From 8 to 24 points; the root makes small differences visible, too.
    size = 8 + (math.ceil(16 * math.sqrt(abs(flat) / largest)) if flat and largest else 0)
    score = cum / abs(report.total) if report.total else 0.0
    return (
        f'N{number} [label="{_box_name(graph, node)}\\n{value}" id="node{number}" fontsize={size} shape=box '
        f'tooltip="{escaped(nodes.printable(node))} ({cum_text})" color="{colour(score)}" '
        f'fillcolor="{colour(score, background=True)}"]'
    )


def _box_name(graph: CallGraph, node: int) -> str:
    """Return the name on several lines: address, package and parts of the function, file and line."""
    nodes = graph.shown.nodes
    function, path, line = nodes.function(node), nodes.path(node), int(nodes.line[node])
    parts = [f"{int(nodes.address[node]):016x}"] if nodes.address[node] else []
    if function:
        name = escaped(shortened(function)).replace("::", "\\n").replace("[...]", "[…]")
        parts.append(name.replace(".", "\\n"))
    if path:
        file = escaped(base_name(path))
        parts.append(f"{file}:{line}" if line else file)
    elif not function:
        parts.append(escaped(nodes.printable(node)))
    return "\\n".join(parts)


def _edge(graph: CallGraph, call: Call, number: dict[int, int], apart: bool) -> str:
    report, nodes = graph.report, graph.shown.nodes
    value = report.formatted(call.weight, graph.shown.unit)
    inline = "\\n (inline)" if call.inline else ""
    attributes = [f'label=" {value}{inline}"']
    if report.total:
        # Of a comparison, a part may be greater than the total.
        attributes += [
            f"{name}={1 + step}"
            for name, most in (("weight", 100), ("penwidth", 5))
            if (step := min(abs(call.weight) * most // abs(report.total), most))
        ]
        attributes.append(f'color="{colour(call.weight / abs(report.total))}"')
    caller, callee = escaped(nodes.printable(call.caller)), escaped(nodes.printable(call.callee))
    hint = f'"{caller} {"..." if call.residual else "->"} {callee} ({value})"'
    attributes.append(f"tooltip={hint} labeltooltip={hint}")
    if call.residual:
        attributes.append('style="dashed"')
    if apart:
        attributes.append("minlen=2")  # room for the labels between
    return f"N{number[call.caller]} -> N{number[call.callee]} [{' '.join(attributes)}]"


def _tags(graph: CallGraph, node: int, at: str, calls: bool) -> Iterator[str]:
    """Yield the boxes of a node's labels. One that calls nobody also shows what came from callees left out."""
    for i, tag in enumerate(_heaviest(graph.tags.text(node), calls)[:MOST_TAGS]):
        if weight := tag.flat if calls else tag.cum:
            yield from _tag(graph, at, f"{at}_{i}", escaped(tag.name).replace("\\l", "\\n"), weight, "")
            yield from _numbers(graph, graph.tags.numeric(node, tag.name), f"{at}_{i}", calls)
    yield from _numbers(graph, graph.tags.numeric(node, ""), at, calls)


def _numbers(graph: CallGraph, tags: Sequence[Tag], at: str, calls: bool) -> Iterator[str]:
    for i, tag in enumerate(_collapsed(tags, calls)):
        own = calls or tag.flat == tag.cum
        if weight := tag.flat if own else tag.cum:
            yield from _tag(graph, at, f"N{at}_{i}", escaped(tag.name), weight, "" if own else ' style="dotted"')


def _tag(graph: CallGraph, at: str, name: str, label: str, weight: int, style: str) -> Iterator[str]:
    value = graph.report.formatted(weight, graph.shown.unit)
    yield f'{name} [label="{label}" id="{name}" fontsize=8 shape=box3d tooltip="{value}"]'
    yield f'{at} -> {name} [label=" {value}" weight=100 tooltip="{value}" labeltooltip="{value}"{style}]'


def _heaviest(tags: Sequence[Tag], calls: bool) -> list[Tag]:
    return sorted(tags, key=lambda tag: (0 if calls else -abs(tag.cum), -abs(tag.flat), tag.name))


def _collapsed(tags: Sequence[Tag], calls: bool) -> list[Tag]:
    """Return at most MOST_TAGS tags: the heaviest, each with the sizes nearest to it, as 1MB..2MB."""
    ordered = _heaviest(tags, calls)
    if len(ordered) <= MOST_TAGS:
        return ordered
    groups = [[tag] for tag in ordered[:MOST_TAGS]]
    for tag in ordered[MOST_TAGS:]:
        min(groups, key=lambda group: abs(group[0].value - tag.value)).append(tag)
    return _heaviest([_range(group) for group in groups], calls)


def _range(group: Sequence[Tag]) -> Tag:
    least, most = (choose(group, key=lambda tag: tag.value) for choose in (min, max))
    names = [measure.label(tag.value, tag.unit) for tag in (least, most)]
    name = names[0] if len(group) == 1 else "..".join(names)
    return replace(group[0], name=name, flat=sum(tag.flat for tag in group), cum=sum(tag.cum for tag in group))


def shortened(function: str) -> str:
    """Return a function's name without its path, as pprof writes it into boxes."""
    name = function[:_LONGEST].removeprefix("(anonymous namespace)::")
    name = _GO_VERSION.sub(r"\1\2", name)
    for pattern in _SHORTER:
        if found := pattern.match(name):
            return found[1]
    return name


def escaped(text: str) -> str:
    """Return the text as the inside of a quoted DOT string that shows it as it is."""
    text = _CONTROLS.sub(" ", text[:_LONGEST])
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;").replace("\n", "\\l")


def colour(score: float, background: bool = False) -> str:
    """Return the colour of a share from -1 to 1: grey near 0, red above as in pprof, blue below.

    pprof paints what shrank green, which one in twelve men cannot tell from red.
    """
    saturation, value = (0.1, 0.93) if background else (1.0, 0.7)
    score = max(-1.0, min(1.0, score))
    if abs(score) < 0.2:
        saturation *= abs(score) / 0.2
    strength = saturation * abs(score) ** 0.3  # away from grey quickly
    if score < 0:
        parts = (1 - strength, 1 - strength / 2, 1.0)
    else:
        parts = (1.0, 1 - strength, 1 - saturation)
    return "#" + "".join(f"{int(value * part * 255):02x}" for part in parts)


def _share(value: int, total: int) -> str:
    return measure.percentage(value, total).strip()
