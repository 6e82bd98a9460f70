"""The pages: a module each, with its routes; one line here."""

from starlette.routing import Route

from oakum.web.pages import api, live, login, service, services

PAGES: tuple[tuple[Route, ...], ...] = (services.ROUTES, service.ROUTES, live.ROUTES, login.ROUTES, api.ROUTES)
