"""Drafts about calls that were forgotten: Stop, cancel, Close, Done; deferred, before a return, before a replacement.

Comes in: operations and steps of one function, and Go text that is valid at them. Goes out: a remedy, or None.
"""

import re
from collections.abc import Sequence

from tree_sitter import Node

from oakum.explain.code.nouns import Func, Op
from oakum.explain.code.syntax import parts, text
from oakum.explain.fixes.draft import Edit, draft
from oakum.explain.fixes.layout import At, before, behind, first_in, instead, place, statement, step_of, without
from oakum.explain.fixes.scope import fresh, usable
from oakum.model import Remedy


def defer_call(after: At, call: str, instead_of: Sequence[Op] = ()) -> Remedy | None:
    """Defer a call behind the statement that makes it due, or behind the check of that statement's error."""
    node = statement(after, exact=True)
    if node is None or step_of(after).loops:
        return None
    if not usable(node, after.func, call, behind=True):
        return None
    checked, unless = _checked(node), _errors(node)
    if checked is not None or not unless:
        edits = behind(after.func.file, checked or node, [f"defer {call}"])
    else:  # the error is looked at elsewhere, or later
        good = unless[0] if unless[0] == "ok" else f"{unless[0]} == nil"
        edits = behind(after.func.file, node, [f"if {good} {{", f"\tdefer {call}", "}"])
    return _call_draft("defer-call", after, edits, call, instead_of)


def defer_at_start(func: Func, call: str, instead_of: Sequence[Op] = ()) -> Remedy | None:
    """Defer a call as the first thing that a function or a goroutine does."""
    body = func.node.child_by_field_name("body")
    if body is None or func.entry is None or not usable(func.entry, func, call):
        return None
    edits = first_in(func.file, body, [f"defer {call}"])
    return _call_draft("defer-at-start", func.entry, edits, call, instead_of)


def call_before(at: At, call: str) -> Remedy | None:
    """Call something before a statement: before a return, or at the end of the function."""
    return call_before_each([at], call)


def call_before_each(exits: Sequence[At], call: str, kind: str = "call-before") -> Remedy | None:
    """Call something before each of several exits of one function."""
    edits: list[Edit] = []
    for one in exits:
        put = before(one.func.file, one, [call])
        if put is None or not usable(one, one.func, call):
            return None
        edits += put
    places = ", ".join(place(one) for one in exits)
    return draft(kind, exits[0].func.file, edits, place=places, call=call) if exits else None


def close_unkept(call: Op, closing: str) -> Remedy | None:
    """Close what a call returns and nobody keeps; `closing` has {name} for it: "{name}.Body.Close()"."""
    name = fresh(call.func, "resp" if "Body" in closing else "got", "opened")
    node = statement(call, exact=True)
    if name is None or node is None or call.inside is not None:
        return None
    if node.type == "expression_statement" and text(node) == text(call.node):
        lines = [f"if {name}, err := {text(node)}; err == nil {{", f"\t{closing.format(name=name)}", "}"]
        return draft(
            "close-unkept", call.file, instead(call.file, node, lines), place=place(call), call=text(call.target)
        )
    left = parts(node.child_by_field_name("left"))
    checked = _checked(node)
    if node.type != "short_var_declaration" or not left or text(left[0]) != "_" or checked is None:
        return None
    edits = behind(call.file, checked, [closing.format(name=name)])
    if edits is None:
        return None
    edits.append(Edit(left[0].start_byte, left[0].end_byte, name))
    return draft("close-unkept", call.file, edits, place=place(call), call=text(call.target))


def call_after(at: At, call: str) -> Remedy | None:
    edits = behind(at.func.file, at, [call]) if usable(at, at.func, call, behind=True) else None
    return _call_draft("call-after", at, edits, call)


def _call_draft(kind: str, at: At, edits: list[Edit] | None, call: str, instead_of: Sequence[Op] = ()) -> Remedy | None:
    removed = removals(instead_of)
    if edits is None or removed is None:
        return None
    return draft(kind, at.func.file, [*edits, *removed], place=place(at), call=call)


def removals(ops: Sequence[Op]) -> list[Edit] | None:
    """Return the edits that take away direct calls; None when one of them is no statement of its own."""
    found: list[Edit] = []
    for op in ops:
        node = statement(op, exact=True)
        edits = without(op.file, node) if node is not None and text(node) == text(op.node) else None
        if edits is None:
            return None
        found += edits
    return found


def _checked(node: Node) -> Node | None:
    """Return the statement behind which a call's result is good: itself, or the check of its error that follows."""
    errors = _errors(node)
    following = node.next_named_sibling
    if not errors:
        return node
    while following is not None and following.type == "comment":
        following = following.next_named_sibling
    if following is None or following.type != "if_statement" or following.child_by_field_name("alternative"):
        return None
    condition = text(following.child_by_field_name("condition"))
    if following.child_by_field_name("initializer") or condition not in (*(f"{name} != nil" for name in errors), "!ok"):
        return None
    body = following.child_by_field_name("consequence")
    last = body.named_children[-1].named_children[-1] if body is not None and body.named_children else None
    leaves = last is not None and (
        last.type in ("return_statement", "continue_statement", "break_statement")
        or re.match(r"panic\(|log\.Fatal|os\.Exit", text(last)) is not None
    )
    return following if leaves else None


def _errors(node: Node) -> list[str]:
    """Return the names in `x, err := f()` that tell whether x is good."""
    names = [text(name) for name in parts(node.child_by_field_name("left"))[1:]]
    return [name for name in names if name.lower().startswith("err") or name == "ok"]


def keep_cancel(assign: Op) -> Remedy | None:
    """Keep the cancel function of a new context, and defer it: ctx, _ := context.WithTimeout(...)."""
    node = statement(assign, exact=True)
    left = parts(node.child_by_field_name("left")) if node is not None else []
    name = fresh(assign.func, "cancel", "stop", "release")
    if node is None or node.type != "short_var_declaration" or len(left) != 2 or text(left[1]) != "_" or name is None:
        return None
    made = text(node.child_by_field_name("right")).startswith(("context.With", "signal.NotifyContext"))
    edits = behind(assign.file, node, [f"defer {name}()"])
    if not made or edits is None or assign.step.loops:
        return None
    named = Edit(left[1].start_byte, left[1].end_byte, name)
    return draft("keep-cancel", assign.file, [named, *edits], place=place(assign), context=text(left[0]), cancel=name)


def stop_old(assign: Op, call: str = "Stop()") -> Remedy | None:
    """Stop what a field, a variable or an entry holds before it is given something else."""
    target = assign.target
    if assign.kind != "assign" or target is None or assign.node.type != "assignment_statement":
        return None  # what is declared there holds nothing yet
    return _stop_held("stop-old", assign, target, text(target), call)


def stop_deleted(delete: Op, call: str = "Stop()") -> Remedy | None:
    """Stop what an entry of a map holds before the entry is deleted."""
    return _deleted("stop-deleted", delete, call)


def close_deleted(delete: Op, field: str) -> Remedy | None:
    """Close the channel in a field of an entry before the entry is deleted from its map."""
    return _deleted("close-deleted", delete, f"close(.{field})")


def _deleted(kind: str, delete: Op, call: str) -> Remedy | None:
    if delete.kind != "delete" or delete.target is None or len(delete.values) != 1:
        return None
    of, key = text(delete.target), text(delete.values[0])
    loop = delete.step.loops[-1] if delete.step.loops else None
    head = next((child for child in loop.named_children if child.type == "range_clause"), None) if loop else None
    names = [text(name) for name in parts(head.child_by_field_name("left"))] if head is not None else []
    if head is not None and text(head.child_by_field_name("right")) == of and names[:1] == [key] and len(names) == 2:
        ended = _ended(names[1], call)  # for key, one := range m { ... delete(m, key) }
        edits = before(delete.file, delete, [ended])
        return draft(kind, delete.file, edits, place=place(delete), held=f"{of}[{key}]", call=ended)
    return _stop_held(kind, delete, None, f"{of}[{key}]", call)


def _stop_held(kind: str, op: Op, target: Node | None, held: str, call: str) -> Remedy | None:
    package = op.func.package
    name = fresh(op.func, "old", "former", "previous")
    if name is None or "\n" in held or re.search(r"\w\(", held):  # a call would be made twice
        return None
    if target is not None and target.type != "index_expression":
        written = package.type_of(target, op.func, op.file)
        if target.type not in ("selector_expression", "identifier") or package.types.get(written) == "struct":
            return None
        head = f"if {name} := {held}; {name} != nil {{"
    else:
        container = target.child_by_field_name("operand") if target is not None else op.target
        written = package.resolved(package.type_of(container, op.func, op.file))
        if target is not None and not written.startswith("map["):
            return None
        head = f"if {name}, ok := {held}; ok {{"
    done = _ended(name, call)
    edits = before(op.file, op, [head, f"\t{done}", "}"])
    return draft(kind, op.file, edits, place=place(op), held=held, call=done)


def _ended(name: str, call: str) -> str:
    """Return the call that ends something: `Stop()`, `close`, `()` of a cancel function, `close(.done)` of a field."""
    if call == "close":
        return f"close({name})"
    if call.startswith("close(."):
        return f"close({name}{call.removeprefix('close(')}"
    return f"{name}()" if call == "()" else f"{name}.{call}"
