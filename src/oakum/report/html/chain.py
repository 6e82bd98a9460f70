"""Who waits for whom -> layers of boxes, each above those that it waits for, with the lines between two layers."""

from msgspec import Struct

from oakum.report.page.blocks import Chain, Node

_WIDEST = 4  # boxes beside each other; more are too narrow for Go's names


class Box(Struct, frozen=True):
    """A node with its number, counted from one at the top, and what it waits for: the other's number, why."""

    number: int
    node: Node
    waits: tuple[tuple[int, str], ...]


class Layer(Struct, frozen=True):
    """Boxes beside each other, and the lines to the next layer: from and to, in percent across."""

    boxes: tuple[Box, ...]
    lines: tuple[tuple[float, float], ...]


def layers(chain: Chain) -> tuple[Layer, ...]:
    """Return the layers from those who wait to what is waited for. A circle is cut where it closes: the number of the
    box that is waited for tells it."""
    waits: dict[int, list[tuple[int, str]]] = {at: [] for at in range(len(chain.nodes))}
    for edge in chain.edges:
        if edge.start in waits and edge.end in waits:
            waits[edge.start].append((edge.end, edge.label))
    depth = _depths(waits)
    deepest = max(depth.values(), default=0)
    rows: list[list[int]] = []
    for level in range(deepest, -1, -1):
        row = [at for at in range(len(chain.nodes)) if depth[at] == level]
        rows += [row[at : at + _WIDEST] for at in range(0, len(row), _WIDEST)]
    numbers = {n: number for number, n in enumerate((n for row in rows for n in row), 1)}
    found = []
    for at, row in enumerate(rows):
        boxes = tuple(Box(numbers[n], chain.nodes[n], tuple((numbers[end], why) for end, why in waits[n])) for n in row)
        below = rows[at + 1] if at + 1 < len(rows) else []
        lines = tuple(
            (_middle(x, len(row)), _middle(below.index(end), len(below)))
            for x, n in enumerate(row)
            for end, _ in waits[n]
            if end in below
        )
        found.append(Layer(boxes, lines))
    return tuple(found)


def _middle(at: int, count: int) -> float:
    return round(100 * (at + 0.5) / count, 2)


def _depths(waits: dict[int, list[tuple[int, str]]]) -> dict[int, int]:
    """Return how many steps each node stands above the last it waits for; what closes a circle does not count."""
    depth: dict[int, int] = {}
    for first in waits:
        todo: list[tuple[int, bool]] = [(first, False)]
        above: set[int] = set()
        while todo:
            node, done = todo.pop()
            if done:
                above.discard(node)
                depth[node] = max((depth[end] + 1 for end, _ in waits[node] if end in depth), default=0)
            elif node not in depth and node not in above:
                above.add(node)
                todo.append((node, True))
                todo += [(end, False) for end, _ in waits[node]]
    return depth
