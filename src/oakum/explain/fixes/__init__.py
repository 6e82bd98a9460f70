"""A mistake in the code -> a drafted fix: a small diff, what it does, and what could go wrong with it.

Comes in: operations and steps that a question found. Goes out: a `Remedy`, or None where no small edit is safe. A
draft is parsed again before it is told; whether it compiles is tried elsewhere. The user decides.
"""

from oakum.explain.fixes.calls import (
    call_after,
    call_before,
    call_before_each,
    close_deleted,
    close_unkept,
    defer_at_start,
    defer_call,
    keep_cancel,
    stop_deleted,
    stop_old,
)
from oakum.explain.fixes.channels import (
    buffer_for,
    buffer_of_one,
    close_before,
    defer_close,
    drain_after_stop,
    drain_on_leave,
    drain_ranged,
    leave_loop,
    return_after,
    select_with_done,
    senders,
)
from oakum.explain.fixes.draft import Edit, draft
from oakum.explain.fixes.limits import (
    client_timeout,
    make_field,
    pass_context,
    set_deadline,
    set_timeout,
    set_timeout_in,
    with_timeout,
)
from oakum.explain.fixes.locks import defer_unlock, unlock_before, unlock_first, use_locked_variant, words_only
from oakum.explain.fixes.objects import clone_piece, pointer_receiver
from oakum.explain.fixes.scope import connection_in_scope
from oakum.model import Remedy

_MOST = 3  # drafts for one mistake; a reader wants to choose, not to study


def drafts(*found: Remedy | None) -> tuple[Remedy, ...]:
    """Return the remedies among these, best first as given."""
    return tuple(one for one in found if one is not None)[:_MOST]


__all__ = [
    "Edit", "buffer_for", "buffer_of_one", "call_after", "call_before", "call_before_each", "client_timeout",
    "clone_piece", "close_before", "close_deleted", "close_unkept", "connection_in_scope",
    "defer_at_start", "defer_call", "defer_close", "defer_unlock", "draft", "drafts",
    "drain_after_stop", "drain_on_leave", "drain_ranged", "keep_cancel", "leave_loop", "make_field",
    "pass_context", "pointer_receiver",
    "return_after", "select_with_done", "senders", "set_deadline", "set_timeout", "set_timeout_in", "stop_deleted",
    "stop_old", "unlock_before", "unlock_first", "use_locked_variant", "with_timeout", "words_only",
]  # fmt: skip
