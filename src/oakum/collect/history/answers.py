"""Answers of Prometheus' API: bytes -> data and warnings; refusals -> what they mean, and what to do."""

import json

from oakum.model import Buffer


def data_of(body: Buffer) -> tuple[object, tuple[str, ...]]:
    """Return `data` of an answer and the warnings beside it; None when it is no good answer."""
    try:
        found = json.loads(bytes(body))
    except (ValueError, RecursionError):
        return None, ()
    if not isinstance(found, dict) or found.get("status") != "success":
        return None, ()
    said = found.get("warnings")
    warnings = [_plain(one) for one in said[:5] if isinstance(one, str)] if isinstance(said, list) else []
    if found.get("isPartial") is True or found.get("partial") is True:
        warnings.append("this answer is partial: not every store of the past could be asked")
    return found.get("data"), tuple(warnings)


def refusal(status: int, path: str, body: bytes) -> str | None:
    """Return what a refusal of Prometheus, or of what stands before it, means; None where it says nothing special."""
    del path
    said = _server_message(body)
    line = f": {said}" if said else ""
    if "no org id" in said.lower():
        return f"{status}{line}: this store keeps several tenants apart; -H 'X-Scope-OrgID: TENANT' names one"
    if status == 400 and "exceeded maximum resolution" in said:
        return f"{status}{line}: a longer step= or a shorter last= gives fewer points"
    if status == 400:
        return f"400, the query was not understood{line}; is every label of match= spelled as in Prometheus?"
    if status == 422:
        return f"422, the query could not be carried out{line}; a shorter last= or a narrower match= asks for less"
    if status in (503, 504):
        return f"{status}, it is overloaded, starting, or gave up{line}; ask again, or for less: a shorter last="
    return f"{status}{line}" if said and status >= 404 else None


def _server_message(body: bytes) -> str:
    """{"status":"error","errorType":"bad_data","error":"invalid parameter \\"query\\": ..."}"""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        first = body.decode("utf-8", "replace").strip().partition("\n")[0]
        return "" if first.startswith("<") else _plain(first)
    said = (found.get("error") or found.get("message")) if isinstance(found, dict) else ""
    return _plain(said) if isinstance(said, str) else ""


def _plain(text: str) -> str:
    return "".join(char for char in text[:300] if char.isprintable())
