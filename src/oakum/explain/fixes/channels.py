"""Drafts about channels: room for what nobody receives, a way to leave a wait, a close that was forgotten.

Comes in: operations and steps of one function, and Go text that is valid at them. Goes out: a remedy, or None.
"""

from tree_sitter import Node

from oakum.explain.code import kinds
from oakum.explain.code.nouns import Op, Step
from oakum.explain.code.syntax import line, operator, text
from oakum.explain.fixes.draft import Edit, draft
from oakum.explain.fixes.layout import At, before, behind, indent, instead, one_line, place, statement, step_of
from oakum.explain.fixes.scope import done_in_scope, fresh, importing, leaving, owed, usable, writable
from oakum.model import Remedy


def buffer_of_one(make: Op) -> Remedy | None:
    """Give a channel room for one value: its only sender is done even when nobody receives."""
    return draft("buffer-of-one", make.file, _room(make, "1"), place=place(make))


def buffer_for(make: Op, count: str) -> Remedy | None:
    """Give a channel room for one value of each sender."""
    return draft("buffer-for", make.file, _room(make, count), place=place(make), count=count)


def _room(make: Op, count: str) -> list[Edit] | None:
    if make.kind != "make" or make.target is None or len(make.values) > 1:
        return None
    if not make.values:
        return [Edit(make.target.end_byte, make.target.end_byte, f", {count}")]
    given = make.values[0]
    return [Edit(given.start_byte, given.end_byte, count)] if text(given) == "0" else None


def senders(go: Op, make: Op) -> str | None:
    """Return how many goroutines a loop starts, as text that is valid where the channel is made before the loop."""
    loops = go.step.loops
    if go.func is not make.func or not loops or len(make.step.loops) != len(loops) - 1:
        return None
    loop = loops[-1]
    if make.line >= line(loop):
        return None
    head = next((child for child in loop.named_children if child.type in ("range_clause", "for_clause")), None)
    if head is None:
        return None
    if head.type == "range_clause":
        over = head.child_by_field_name("right")
        counted = _counted(over, go) if over is not None else None
    else:
        over = _bound(head)
        counted = text(over) if over is not None else None
    if over is None or counted is None or not _same_before(over, make, line(loop)):
        return None
    return counted


def _counted(over: Node, go: Op) -> str | None:
    """Return how often a range runs; None over a channel, a function, or what is not known."""
    written = go.func.package.resolved(go.func.package.type_of(over, go.func, go.file)).lstrip("*")
    if over.type == "int_literal" or written in ("int", "int64", "int32", "uint"):
        return text(over)
    return f"len({text(over)})" if written.startswith(("[", "map[")) and "(" not in text(over) else None


def _bound(clause: Node) -> Node | None:
    """Return n of `i := 0; i < n; i++`."""
    first, condition = clause.child_by_field_name("initializer"), clause.child_by_field_name("condition")
    update = clause.child_by_field_name("update")
    if condition is None or condition.type != "binary_expression" or operator(condition) != "<":
        return None
    if not text(first).endswith(":= 0") or update is None or update.type != "inc_statement":
        return None
    bound = condition.child_by_field_name("right")
    while bound is not None and bound.type == "call_expression" and text(bound).startswith("len("):
        return bound
    return bound if bound is not None and bound.type in ("identifier", "int_literal", "selector_expression") else None


def _same_before(over: Node, make: Op, loop: int) -> bool:
    """Tell whether what is counted exists where the channel is made, and stays the same until the loop."""
    todo = [over]
    while todo:
        node = todo.pop()
        todo += node.named_children
        if node.type != "identifier":
            continue
        var = make.func.package.var(node, make.file)
        if var is not None and var.func is make.func and var.kind in ("local", "range") and var.line >= make.line:
            return False
        for op in make.func.ops:
            if op.kind == "assign" and make.line <= op.line < loop and text(op.target).startswith(text(node)):
                return False
    return True


def drain_on_leave(leave: At, channel: str, closed: bool = False) -> Remedy | None:
    """Receive what is still sent when the function is left: all of it when the channel is closed some day, or one."""
    lines = _drained(channel) if closed else [f"<-{channel}"]
    kind = "drain-rest" if closed else "drain-one"
    edits = before(leave.func.file, leave, lines) if _names(leave, channel) else None
    return draft(kind, leave.func.file, edits, place=place(leave), channel=channel)


def drain_ranged(loop: Op, leave: At) -> Remedy | None:
    """Do the same where a loop ranges over a channel that a call returns: it gets a name first."""
    over, head, name = loop.target, loop.node.parent, fresh(loop.func, "values", "stream", "rest")
    if loop.kind != "range" or over is None or over.type != "call_expression" or head is None or name is None:
        return None
    named, edits = before(loop.file, head, [f"{name} := {text(over)}"]), before(loop.file, leave, _drained(name))
    if named is None or edits is None:
        return None
    edits = [*named, Edit(over.start_byte, over.end_byte, name), *edits]
    return draft("drain-rest", loop.file, edits, place=place(leave), channel=name)


def _drained(channel: str) -> list[str]:
    return ["go func() {", f"\tfor range {channel} {{", "\t}", "}()"]


def _names(at: At, channel: str, behind: bool = False) -> bool:
    """Tell whether a channel can be named at a place: what a call returns would be another one."""
    return "(" not in channel and usable(at, at.func, channel, behind)


def drain_after_stop(stop: Op, channel: str) -> Remedy | None:
    """Draft a deferred loop that empties a channel behind a deferred Stop: what is deferred first runs last."""
    lines = ["defer func() {", f"\tfor range {channel} {{", "\t}", "}()"]
    return draft("drain-after-stop", stop.file, before(stop.file, stop, lines), place=place(stop), channel=channel)


def select_with_done(op: Op, done: str | None = None) -> Remedy | None:
    """Let a send, a receive or a range wait no longer than `done`: ctx.Done(), a stop channel."""
    done = done or done_in_scope(op, text(op.target))
    if done is None or op.kind not in ("send", "receive", "range") or op.inside is not None:
        return None
    if op.kind == "receive" and text(op.target) == done:
        return None
    leave = leaving(op.func, done)
    if leave is None or (owed(op) and (op.kind != "send" or op.step.loops or op.select is not None)):
        return None
    lines = [] if owed(op) else leave.lines
    way_out = [f"case <-{done}:", *(f"\t{one}" for one in lines)]
    edits = _case_added(op, done, way_out) if op.select is not None else _selected(op, way_out)
    imports = importing(op.file, op.func.package, leave.needs) if leave.needs else []
    if edits is None or imports is None:
        return None
    return draft("select-with-done", op.file, [*imports, *edits], place=place(op), done=done, code=op.code)


def _case_added(op: Op, done: str, way_out: list[str]) -> list[Edit] | None:
    select = op.select
    if select is None or one_line(select):
        return None
    for case in select.named_children:
        given = case.child_by_field_name("communication")
        if case.type == "default_case" or text(given).endswith(f"<-{done}"):
            return None
    outer = indent(op.file, select.end_byte - 1)
    brace = select.end_byte - 1
    return [Edit(brace, brace, f"\n{outer}".join(way_out) + f"\n{outer}")]


def _selected(op: Op, way_out: list[str]) -> list[Edit] | None:
    """Return the edit that puts a select in the place of a send, a receive, or the head of a range."""
    if op.kind == "range":
        return _range_selected(op, way_out)
    node = statement(op, exact=True)
    if node is None:
        return None
    if op.kind == "send":
        return instead(op.file, node, ["select {", f"case {text(node)}:", *way_out, "}"])
    if node.type == "return_statement":
        name = fresh(op.func, "got", "received")
        if name is None or len(op.func.results) != 1 or text(node).removeprefix("return").strip() != text(op.node):
            return None
        return instead(
            op.file, node, ["select {", f"case {name} := {text(op.node)}:", f"\treturn {name}", *way_out, "}"]
        )
    if node.type == "expression_statement":
        whole = text(node) == text(op.node)
        return instead(op.file, node, ["select {", f"case {text(node)}:", *way_out, "}"]) if whole else None
    right = node.child_by_field_name("right")
    if node.type not in ("short_var_declaration", "assignment_statement") or text(right) != text(op.node):
        return None
    declared: list[str] = []
    if node.type == "short_var_declaration":
        found = _declarations(op, node)
        if found is None:
            return None
        declared = found
    left = text(node.child_by_field_name("left"))
    return instead(op.file, node, [*declared, "select {", f"case {left} = {text(op.node)}:", *way_out, "}"])


def _declarations(op: Op, node: Node) -> list[str] | None:
    """Return the var lines for what `v, ok := <-ch` declares; None when a type is not known."""
    left = node.child_by_field_name("left")
    lines: list[str] = []
    for at, name in enumerate(left.named_children if left is not None else ()):
        var = op.file.names.get(name.start_byte)
        if text(name) == "_" or (var is not None and var.line != line(name)):  # declared before
            continue
        written = "bool" if at else _element(op)
        if not writable(written, op.file) and written != "bool":
            return None
        lines.append(f"var {text(name)} {written}")
    return lines


def _element(op: Op) -> str:
    package = op.func.package
    return kinds.element(package.resolved(package.type_of(op.target, op.func, op.file)))


def _range_selected(op: Op, way_out: list[str]) -> list[Edit] | None:
    loop, over = op.node.parent, op.target
    body = loop.child_by_field_name("body") if loop is not None else None
    package = op.func.package
    channel = package.resolved(package.type_of(over, op.func, op.file))
    more = fresh(op.func, "more", "open", "ok")
    if loop is None or body is None or over is None or more is None or not kinds.is_channel(channel) or one_line(body):
        return None
    if len(op.values) > 1 or (op.values and not any(child.type == ":=" for child in op.node.children)):
        return None
    if "(" in text(over):  # what a call returns is another one in every round
        return None
    name = text(op.values[0]) if op.values else "_"
    if name != "_" and not writable(kinds.element(channel), op.file):
        return None
    inside = indent(op.file, loop.start_byte) + "\t"
    lines = [
        *([f"var {name} {kinds.element(channel)}"] if name != "_" else []),
        f"var {more} bool", "select {", f"case {name}, {more} = <-{text(over)}:", *way_out, "}",
        f"if !{more} {{", "\tbreak", "}",
    ]  # fmt: skip
    return [Edit(loop.start_byte, body.start_byte + 1, "for {\n" + "\n".join(inside + one for one in lines))]


def defer_close(after: At, channel: str) -> Remedy | None:
    """Close a channel when the function is left, however it is left."""
    if step_of(after).loops or not _names(after, channel, behind=True):
        return None
    edits = behind(after.func.file, after, [f"defer close({channel})"])
    return draft("defer-close", after.func.file, edits, place=place(after), channel=channel)


def close_before(leave: At, channel: str) -> Remedy | None:
    """Close a channel before a return, or at the end of the function."""
    edits = before(leave.func.file, leave, [f"close({channel})"]) if _names(leave, channel) else None
    return draft("close-before", leave.func.file, edits, place=place(leave), channel=channel)


def return_after(send: Op) -> Remedy | None:
    """Leave the function behind a send that should have been its last."""
    leave = leaving(send.func)
    if send.kind != "send" or send.select is not None or leave is None or owed(send):
        return None
    return draft("return-after", send.file, behind(send.file, send, leave.lines), place=place(send), code=send.code)


def leave_loop(jump: Step) -> Remedy | None:
    """Let a `break` that leaves only its select or switch leave the loop around it."""
    if jump.node.type != "break_statement" or text(jump.node) != "break" or not jump.loops:
        return None
    loop, func, file = jump.loops[-1], jump.func, jump.func.file
    if loop.parent is None or loop.parent.type != "statement_list":
        return None
    label = fresh(func, "loop", "receiving")
    last = loop.next_named_sibling is None and loop.parent.parent == func.node.child_by_field_name("body")
    if last and not func.results:
        edits = [Edit(jump.node.start_byte, jump.node.end_byte, "return")]
    elif label is not None:
        outer = indent(file, loop.start_byte)
        edits = [
            Edit(loop.start_byte - len(outer), loop.start_byte, f"{outer[:-1]}{label}:\n{outer}"),
            Edit(jump.node.end_byte, jump.node.end_byte, f" {label}"),
        ]
    else:
        return None
    return draft("leave-loop", file, edits, place=place(jump), loop=line(loop))
