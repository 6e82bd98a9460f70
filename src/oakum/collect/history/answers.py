"""Answers of Prometheus' API: bytes -> data and warnings; refusals -> what they mean, and what to do."""

import json

from oakum.model import Buffer, Text


def data_of(body: Buffer) -> tuple[object, tuple[str | Text, ...]]:
    """Return `data` of an answer and the warnings beside it; None when it is no good answer."""
    try:
        found = json.loads(bytes(body))
    except (ValueError, RecursionError):
        return None, ()
    if not isinstance(found, dict) or found.get("status") != "success":
        return None, ()
    said = found.get("warnings")
    warnings: list[str | Text] = []
    if isinstance(said, list):
        warnings += [_plain(one) for one in said[:5] if isinstance(one, str)]
    if found.get("isPartial") is True or found.get("partial") is True:
        warnings.append(Text("history.partial"))
    return found.get("data"), tuple(warnings)


def refusal(status: int, path: str, body: bytes) -> Text | None:
    """Return what a refusal of Prometheus, or of what stands before it, means; None where it says nothing special."""
    del path
    said = _server_message(body)
    told = {"status": str(status), "said": said or "-"}
    if "no org id" in said.lower():
        return Text("history.tenants", told)
    if status == 400 and "exceeded maximum resolution" in said:
        return Text("history.many-points", told)
    if status in (400, 422):
        return Text(f"history.{status}", {"said": told["said"]})
    if status in (503, 504):
        return Text("history.busy", told)
    return Text("kube.status", told) if said and status >= 404 else None


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
