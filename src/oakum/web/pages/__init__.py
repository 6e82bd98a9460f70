"""The pages: a module each, with its routes; one line here."""

from starlette.routing import Route

from oakum.web.pages import api, compare, incident, known, live, login, service, services, upload

PAGES: tuple[tuple[Route, ...], ...] = (
    services.ROUTES,
    service.ROUTES,
    live.ROUTES,
    incident.ROUTES,
    compare.ROUTES,
    known.ROUTES,
    upload.ROUTES,
    login.ROUTES,
    api.ROUTES,
)
