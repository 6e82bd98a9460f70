"""The login form: the token -> a session in a cookie. Only a server that was given a token has it."""

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from oakum.web.security.sessions import COOKIE, LASTS
from oakum.web.visit import Visit, get, post


async def show(visit: Visit, wrong: str = "", status: int = 200) -> Response:
    if not visit.settings.token:
        raise HTTPException(404)
    to = _inside(visit.query.get("next", "/"))
    return visit.page("login.html", title=visit.word("serve.login"), status=status, wrong=wrong, to=to)


async def enter(visit: Visit, form: FormData) -> Response:
    if not visit.settings.token:
        raise HTTPException(404)
    client = visit.request.client
    became = visit.sessions.attempt(client.host if client else "", str(form.get("token", "")))
    if became != "right":
        return await show(visit, became, 403 if became == "wrong" else 429)
    response = RedirectResponse(_inside(str(form.get("next", "/"))), 303)
    response.set_cookie(
        COOKIE, visit.sessions.open(), max_age=LASTS, httponly=True, samesite="strict", secure=visit.settings.secure
    )
    return response


async def leave(visit: Visit, form: FormData) -> Response:
    del form
    response = RedirectResponse("/login" if visit.settings.token else "/", 303)
    response.delete_cookie(COOKIE)
    return response


def _inside(to: str) -> str:
    """Return an address of ours; the first page in place of any other."""
    ours = to.startswith("/") and not to.startswith("//") and "\\" not in to and to.isprintable() and len(to) < 2000
    return to if ours else "/"


ROUTES = (get("/login", show), post("/login", enter), post("/logout", leave))
