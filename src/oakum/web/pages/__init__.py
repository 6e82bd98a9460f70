"""The pages: a module each, with its routes; one line here."""

from starlette.routing import Route

from oakum.web.pages import login, services

PAGES: tuple[tuple[Route, ...], ...] = (services.ROUTES, login.ROUTES)
