"""Templates -> text: everything that comes from evidence is escaped and made safe to show, as in the report."""

import base64
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Any

from oakum import __version__
from oakum.report.history import count_text
from oakum.report.words import size


def template(name: str) -> Any:
    return _environment().get_template(name)


@cache
def _environment() -> Any:
    import jinja2

    from oakum.report.html import furnish

    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [
                jinja2.PackageLoader("oakum.web", "templates"),
                jinja2.PrefixLoader({"report": jinja2.PackageLoader("oakum.report.html", "templates")}),
            ]
        ),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    furnish(environment)
    environment.filters |= {"size": size, "time": time_text, "count": _count}
    environment.globals |= {"static": static_address, "version": __version__}
    return environment


def time_text(at: int | datetime | None, form: str = "%Y-%m-%d %H:%M") -> str:
    """Return a time of the store (microseconds, UTC) as people read it."""
    if at is None:
        return ""
    when = at if isinstance(at, datetime) else datetime.fromtimestamp(at / 1e6, UTC)
    return when.strftime(form)


def _count(value: float | None) -> str:
    return "" if value is None else count_text(value)


# What is served as it stands. No other file is: none is looked up by what a request says.
_FILES: Mapping[str, tuple[str, str, str]] = {
    "report.css": ("oakum.report.html", "assets/report.css", "text/css; charset=utf-8"),
    "report.js": ("oakum.report.html", "assets/report.js", "text/javascript; charset=utf-8"),
    "early.js": ("oakum.web", "static/early.js", "text/javascript; charset=utf-8"),
    "web.css": ("oakum.web", "static/web.css", "text/css; charset=utf-8"),
    "web.js": ("oakum.web", "static/web.js", "text/javascript; charset=utf-8"),
    "charts.js": ("oakum.web", "static/charts.js", "text/javascript; charset=utf-8"),
    "htmx.js": ("oakum.web", "static/vendor/htmx.min.js", "text/javascript; charset=utf-8"),
    "uplot.js": ("oakum.web", "static/vendor/uplot.min.js", "text/javascript; charset=utf-8"),
    "uplot.css": ("oakum.web", "static/vendor/uplot.min.css", "text/css; charset=utf-8"),
    "htmx.LICENSE": ("oakum.web", "static/vendor/htmx.LICENSE", "text/plain; charset=utf-8"),
    "uplot.LICENSE": ("oakum.web", "static/vendor/uplot.LICENSE", "text/plain; charset=utf-8"),
}


@cache
def static_file(name: str) -> tuple[bytes, str, str] | None:
    """Return the bytes, the type and the digest of a file that is served; None for every other name."""
    if name not in _FILES:
        return None
    package, path, kind = _FILES[name]
    data = resources.files(package).joinpath(*path.split("/")).read_bytes()
    return data, kind, base64.urlsafe_b64encode(sha256(data).digest()[:9]).decode()


def static_address(name: str) -> str:
    """Return the address of a file: another one when its content is another, so that it can be kept for ever."""
    found = static_file(name)
    if found is None:
        raise KeyError(name)
    return f"/static/{found[2]}/{name}"
