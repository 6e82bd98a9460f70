"""Drafts about time limits and values never set: a timeout, a deadline, a context that ends, a channel never made.

Comes in: operations of one function. Goes out: a remedy, or None. How long is for the user to decide: 30 s is a start.
"""

from tree_sitter import Node

from oakum.explain.code.nouns import GoFile, Op
from oakum.explain.code.package import Package
from oakum.explain.code.syntax import line, text
from oakum.explain.fixes.draft import Edit, draft
from oakum.explain.fixes.layout import At, before, first_in, indent, one_line, place, statement
from oakum.explain.fixes.scope import fresh, importing, is_context, usable, writable
from oakum.model import Remedy

_DURATION = "30 * time.Second"
# Calls whose result is read after they return, which a cancelled context would cut off.
_STREAMS = ("Do", "Get", "Query", "QueryContext", "Watch", "Stream", "Subscribe", "Open", "NewReader", "DialContext")


def set_timeout(composite: Op, field: str) -> Remedy | None:
    """Give a literal of http.Client, http.Server, net.Dialer a timeout."""
    return set_timeout_in(composite.node, composite.file, composite.func.package, field)


def set_timeout_in(literal: Node, file: GoFile, package: Package, field: str = "Timeout") -> Remedy | None:
    """Do the same with a literal that stands outside of functions."""
    return _field_draft("set-timeout", literal, file, package, field, _DURATION, "time")


def make_field(composite: Op, field: str, type: str) -> Remedy | None:
    """Make a channel or a map when the object that holds it is made."""
    if not writable(type, composite.file) and "." in type:
        return None
    package = composite.func.package
    return _field_draft("make-field", composite.node, composite.file, package, field, f"make({type})", "")


def _field_draft(
    kind: str, literal: Node, file: GoFile, package: Package, field: str, value: str, needs: str
) -> Remedy | None:
    edits = _with_field(literal, file, field, value)
    imports = importing(file, package, needs) if needs else []
    if edits is None or imports is None:
        return None
    where = f"{file.source.name.replace(chr(92), '/').rpartition('/')[2]}:{line(literal)}"
    named = text(literal.child_by_field_name("type"))
    return draft(kind, file, [*imports, *edits], place=where, type=named, field=field, value=value)


def _with_field(literal: Node, file: GoFile, field: str, value: str) -> list[Edit] | None:
    body = literal.child_by_field_name("body")
    if literal.type != "composite_literal" or body is None:
        return None
    elements = [child for child in body.named_children if child.type != "comment"]
    if any(one.type != "keyed_element" for one in elements):
        return None
    if not elements and one_line(body):
        return [Edit(body.start_byte, body.end_byte, f"{{{field}: {value}}}")]
    for one in elements:
        if text(one.child_by_field_name("key")) == field:
            given = one.child_by_field_name("value")
            zero = given is not None and text(given) in ("0", "nil")
            return [Edit(given.start_byte, given.end_byte, value)] if given is not None and zero else None
    if not elements:
        return None
    last = elements[-1]
    if one_line(body):
        return [Edit(last.end_byte, last.end_byte, f", {field}: {value}")]
    return _own_line(file, elements, field, value)


def _own_line(file: GoFile, elements: list[Node], field: str, value: str) -> list[Edit] | None:
    """Return the edits that add a field on its own line, the values below one another as gofmt puts them."""
    last = elements[-1]
    data = file.source.data
    end = data.find(b"\n", last.end_byte)
    if not data[last.end_byte : end].lstrip().startswith(b","):
        return None  # }) on the line of the last element
    row = [last]
    for one in reversed(elements[:-1]):
        if one.end_point[0] != row[-1].start_point[0] - 1 or not one_line(one):
            break
        row.append(one)
    if not one_line(last):
        row = []
    width = max([len(field), *(len(text(one.child_by_field_name("key"))) for one in row)])
    edits: list[Edit] = []
    for one in row:
        key, given = one.child_by_field_name("key"), one.child_by_field_name("value")
        if key is None or given is None:
            return None
        gap = ":" + " " * (width - len(text(key)) + 1)
        if data[key.end_byte : given.start_byte].decode() != gap:
            edits.append(Edit(key.end_byte, given.start_byte, gap))
    end -= data[end - 1 : end] == b"\r"
    added = f"\n{indent(file, last.start_byte)}{field}:{' ' * (width - len(field) + 1)}{value},"
    return [*edits, Edit(end, end, added)]


def client_timeout(call: Op) -> Remedy | None:
    """Ask with a client that has a timeout: http.Get and http.DefaultClient have none."""
    target, called = call.target, text(call.target)
    verb = called.removeprefix("http.").removeprefix("DefaultClient.")
    if call.file.imports.get("http") != "net/http" or target is None or not called.startswith("http."):
        return None
    if verb not in ("Get", "Head", "Post", "PostForm", "Do"):
        return None
    imports = importing(call.file, call.func.package, "time")
    if imports is None:
        return None
    client = f"(&http.Client{{Timeout: {_DURATION}}}).{verb}"
    edits = [*imports, Edit(target.start_byte, target.end_byte, client)]
    return draft("client-timeout", call.file, edits, place=place(call), function=called, value=_DURATION)


def with_timeout(call: Op) -> Remedy | None:
    """Hand a call a context that ends."""
    given = next((value for value in call.values if _is_context(value, call)), None)
    node = statement(call)
    timed, cancel = fresh(call.func, "timed", "limited"), fresh(call.func, "cancel", "cancelTimed")
    if given is None or node is None or timed is None or cancel is None or call.inside is not None or call.step.loops:
        return None
    name = text(call.target).rpartition(".")[2]
    if name.startswith(_STREAMS) or (node.type == "return_statement" and call.func.results != ["error"]):
        return None
    tight = _DURATION.replace(" * ", "*")  # as gofmt writes it among other arguments
    imports = [importing(call.file, call.func.package, path) for path in ("context", "time")]
    edits = before(
        call.file, node, [f"{timed}, {cancel} := context.WithTimeout({text(given)}, {tight})", f"defer {cancel}()"]
    )
    needed = [edit for one in imports if one is not None for edit in one]
    if edits is None or None in imports:
        return None
    edits = [*needed, *edits, Edit(given.start_byte, given.end_byte, timed)]
    return draft("with-timeout", call.file, edits, place=place(call), function=text(call.target), value=_DURATION)


def pass_context(call: Op, given: Node, near: str) -> Remedy | None:
    """Hand a call the caller's own context instead of one that outlives it."""
    if not usable(call.step, call.func, near):
        return None
    edits = [Edit(given.start_byte, given.end_byte, near)]
    return draft("pass-context", call.file, edits, place=place(call), function=text(call.target), value=near)


def _is_context(value: Node, call: Op) -> bool:
    written = text(value)
    if written in ("context.Background()", "context.TODO()") or written.endswith(".Context()"):
        return True
    if value.type == "selector_expression":
        return call.func.package.type_of(value, call.func, call.file) == "context.Context"
    var = call.func.package.var(value, call.file) if value.type == "identifier" else None
    return var is not None and is_context(var, call.func.package)


def set_deadline(at: At, conn: str, which: str) -> Remedy | None:
    """Set a deadline on a connection before it is read or written; before each round of a loop that reads."""
    file = at.func.file
    limit = f"{conn}.Set{which}Deadline(time.Now().Add({_DURATION}))"
    loop = _loop_head(at.node)
    body = loop.child_by_field_name("body") if loop is not None else None
    if loop is not None and body is not None:
        first, each = before(file, loop, [limit]), first_in(file, body, [limit])
        edits = [*first, *each] if first is not None and each is not None else None
    else:
        edits = before(file, at, [limit])
    imports = importing(file, at.func.package, "time")
    if edits is None or imports is None:
        return None
    return draft("set-deadline", file, [*imports, *edits], place=place(at), conn=conn, value=_DURATION)


def _loop_head(node: Node) -> Node | None:
    """Return the for statement in whose condition something stands: for scanner.Scan() { ... }."""
    while node.parent is not None and node.parent.type != "statement_list":
        if node.parent.type == "for_statement" and node.type not in ("block", "range_clause", "for_clause"):
            return node.parent
        node = node.parent
    return None
