"""The pages: a module each, with its routes; one line here."""

from starlette.routing import Route

from oakum.web.pages import compare, incident, known, login, services, upload

PAGES: tuple[tuple[Route, ...], ...] = (
    services.ROUTES,
    incident.ROUTES,
    compare.ROUTES,
    known.ROUTES,
    upload.ROUTES,
    login.ROUTES,
)
