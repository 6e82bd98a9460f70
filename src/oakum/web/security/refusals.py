"""Refusals: a status and a few words, the same for pages and programs, without anything of this machine in them."""

from starlette.responses import PlainTextResponse, Response


class Refused(Exception):
    """A request that is not answered. `why` is logged and said; `to`: where a person is sent instead."""

    def __init__(self, status: int, why: str, after: int = 0, to: str = "") -> None:
        super().__init__(why)
        self.status, self.why, self.after, self.to = status, why, after, to


def answer(refused: Refused) -> Response:
    headers = {"Connection": "close"}  # what it sent beyond the head is not read
    if refused.after:
        headers["Retry-After"] = str(refused.after)
    if refused.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if refused.status == 405:
        headers["Allow"] = "GET, HEAD, POST"
    return PlainTextResponse(f"{refused.why}\n", refused.status, headers)
