"""Drafts about locks: unlocked on every way out, not taken twice.

Comes in: operations and steps of one function, and the lock as Go text that is valid at them. Goes out: a remedy.
"""

from collections.abc import Sequence

from tree_sitter import Node

from oakum.explain.code.nouns import Func, Op
from oakum.explain.code.syntax import parts, text
from oakum.explain.fixes.calls import removals
from oakum.explain.fixes.draft import Edit, draft
from oakum.explain.fixes.layout import At, before, behind, instead, place, statement
from oakum.explain.fixes.scope import fresh, usable
from oakum.model import Remedy, Text

_VARIANTS = ("{0}Locked", "{0}WithLock", "{0}NoLock", "{0}WithoutLock", "{0}Unlocked", "{0}Unsafe", "{0}_locked")
_LOCKS = frozenset(("Lock", "RLock", "TryLock", "TryRLock"))


def unlock_before(leave: At, lock: str, read: bool = False, *others: At) -> Remedy | None:
    """Unlock before a return, or at the end of the function, and at other exits; what a return reads is read before."""
    unlock = f"{lock}.{'RUnlock' if read else 'Unlock'}()"
    edits: list[Edit] = []
    for one in (leave, *others):
        put = _unlocked_at(one, lock, unlock)
        if put is None or not usable(one, one.func, lock):
            return None
        edits += put
    places = ", ".join(place(one) for one in (leave, *others))
    return draft("unlock-before", leave.func.file, edits, place=places, call=unlock)


def _unlocked_at(leave: At, lock: str, unlock: str) -> list[Edit] | None:
    node = statement(leave)
    values = parts(node.named_children[0]) if node is not None and node.named_children else []
    guarded = [one for one in values if _reads(one, lock.partition(".")[0])]
    if node is not None and node.type == "return_statement" and guarded:
        return _taken_first(leave.func, node, guarded, unlock)
    return before(leave.func.file, leave, [unlock])


def _reads(node: Node, owner: str) -> bool:
    """Tell whether a value reads the object that the lock guards, beyond naming it."""
    todo = [node] if node.type != "identifier" else []
    while todo:
        one = todo.pop()
        if one.type == "identifier" and text(one) == owner:
            return True
        todo += one.named_children
    return False


def _taken_first(func: Func, node: Node, guarded: list[Node], unlock: str) -> list[Edit] | None:
    """Return the edit that takes what a return reads under the lock, unlocks, and returns it."""
    listed = parts(node.named_children[0])
    many = len(listed) == 1 and len(func.results) > 1  # return s.size(key)
    count = len(func.results) if many else len(guarded)
    names = [name for at in range(count) if (name := fresh(func, f"result{at or ''}", f"value{at or ''}"))]
    if len(names) != count or any(text(one).startswith("func") or "\n" in text(one) for one in listed):
        return None
    given = names if many else [names[guarded.index(one)] if one in guarded else text(one) for one in listed]
    taken = ", ".join(text(one) for one in guarded)
    return instead(func.file, node, [f"{', '.join(names)} := {taken}", unlock, f"return {', '.join(given)}"])


def defer_unlock(lock: Op, instead_of: Sequence[Op] = ()) -> Remedy | None:
    """Defer the unlock right behind the lock, and take away the unlocks that it makes needless."""
    called = text(lock.target)
    name = called.rpartition(".")[2]
    if lock.kind != "call" or name not in ("Lock", "RLock") or lock.step.loops:
        return None
    unlock = called.removesuffix(name) + ("RUnlock()" if name == "RLock" else "Unlock()")
    edits, removed = behind(lock.file, lock, [f"defer {unlock}"]), removals(instead_of)
    if edits is None or removed is None:
        return None
    return draft("defer-unlock", lock.file, [*edits, *removed], place=place(lock), call=unlock)


def use_locked_variant(call: Op) -> Remedy | None:
    """Call the variant of a method that expects the lock to be held, when the package has one."""
    package, target = call.func.package, call.target
    callees = package.callees(call)
    if len(callees) != 1 or target is None or target.type not in ("selector_expression", "identifier"):
        return None
    callee = callees[0]
    for form in _VARIANTS:
        name = form.format(callee.name)
        for spelt in (name, name[:1].lower() + name[1:]):
            other = package.funcs.get((callee.receiver, spelt))
            if other is None or other is callee or len(other.params) != len(callee.params):
                continue
            if other.results != callee.results or _locks(package.read(other)):
                continue
            named = target.child_by_field_name("field") if target.type == "selector_expression" else target
            if named is not None:
                edits = [Edit(named.start_byte, named.end_byte, spelt)]
                return draft("locked-variant", call.file, edits, place=place(call), function=callee.name, variant=spelt)
    return None


def _locks(func: Func) -> bool:
    return any(op.kind == "call" and text(op.target).rpartition(".")[2] in _LOCKS for op in func.everything())


def unlock_first(call: Op, unlock: Op) -> Remedy | None:
    """Unlock before a call that takes the lock again, when the unlock stands right behind it."""
    node, later = statement(call, exact=True), statement(unlock, exact=True)
    if node is None or later is None or unlock.inside is not None or node.type == "return_statement":
        return None
    following = node.next_named_sibling
    if following is None or following != later or text(later) != text(unlock.node):
        return None
    edits, removed = before(call.file, node, [text(unlock.node)]), removals([unlock])
    if edits is None or removed is None:
        return None
    return draft("unlock-first", call.file, [*edits, *removed], place=place(call), call=text(unlock.node))


def words_only(kind: str, at: Op, **args: str | int) -> Remedy:
    """Say what would fix it where no small edit does: "lock-order", "call-unlocked", "wait-unlocked" ..."""
    given = {"place": place(at), **args}
    return Remedy("patch", Text(f"fix.{kind}", given), None, Text(f"fix.{kind}.risk", given))
