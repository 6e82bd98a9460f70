"""Refusals: a status and a few words, the same for pages and programs, without anything of this machine in them."""

from starlette.responses import PlainTextResponse, Response


class Refused(Exception):
    """A request that is not answered. `why` is logged and said."""

    def __init__(self, status: int, why: str, after: int = 0) -> None:
        super().__init__(why)
        self.status, self.why, self.after = status, why, after


def answer(refused: Refused) -> Response:
    headers = {"Retry-After": str(refused.after)} if refused.after else None
    return PlainTextResponse(f"{refused.why}\n", refused.status, headers)
