"""Templates -> text: everything that comes from evidence is escaped and made safe to show, as in the report."""

import base64
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, partial
from hashlib import sha256
from importlib import resources
from typing import Any, NamedTuple
from urllib.parse import quote

from oakum import __version__
from oakum.model import Text
from oakum.report.history import count_text
from oakum.report.words import say, size, word


def template(name: str, lang: str) -> Any:
    return _environment(lang).get_template(name)


@cache
def _environment(lang: str) -> Any:
    """Return the environment of a language: macros have its words, too."""
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
    environment.filters |= {"size": size, "time": time_text, "count": _count, "spark": _spark, "path": _path}
    environment.globals |= {
        "static": static_address,
        "version": __version__,
        "word": partial(_word, lang),
        "say": partial(_say, lang),
    }
    return environment


def time_text(at: int | datetime | None, form: str = "%Y-%m-%d %H:%M") -> str:
    """Return a time of the store (microseconds, UTC) as people read it."""
    if at is None:
        return ""
    when = at if isinstance(at, datetime) else datetime.fromtimestamp(at / 1e6, UTC)
    return when.strftime(form)


def _word(lang: str, key: str, **args: Any) -> str:
    return word(key, lang, **args)


def _say(lang: str, text: Text) -> str:
    return say(text, lang)


def _path(name: str) -> str:
    """Return a name as one part of a path."""
    return quote(name, safe="", errors="replace")


class Drawn(NamedTuple):
    """A small line as SVG draws it, and its lowest and highest value."""

    path: str
    low: float
    high: float


def _spark(points: Sequence[float | None], width: float = 100, height: float = 24) -> Drawn | None:
    """Return the line through points that are evenly spread, from zero up; None where nothing can be drawn."""
    known = [one for one in points if one is not None]
    if len(known) < 2:
        return None
    scale = (height - 2) / (max(known) or 1)
    step = width / (len(points) - 1)
    parts: list[str] = []
    joined = False
    for at, one in enumerate(points):
        if one is not None:
            parts.append(f"{'L' if joined else 'M'}{at * step:.1f} {height - 1 - one * scale:.1f}")
        joined = one is not None
    return Drawn("".join(parts), min(known), max(known))


def _count(value: float | None) -> str:
    return "" if value is None else count_text(value)


# What is served as it stands. No other file is: none is looked up by what a request says.
_FILES: Mapping[str, tuple[str, str, str]] = {
    "report.css": ("oakum.report.html", "assets/report.css", "text/css; charset=utf-8"),
    "report.js": ("oakum.report.html", "assets/report.js", "text/javascript; charset=utf-8"),
    "early.js": ("oakum.web", "static/early.js", "text/javascript; charset=utf-8"),
    "flame.css": ("oakum.views", "assets/flame.css", "text/css; charset=utf-8"),
    "flame.js": ("oakum.views", "assets/flame.js", "text/javascript; charset=utf-8"),
    "pages.css": ("oakum.web", "static/pages.css", "text/css; charset=utf-8"),
    "web.css": ("oakum.web", "static/web.css", "text/css; charset=utf-8"),
    "charts.js": ("oakum.web", "static/charts.js", "text/javascript; charset=utf-8"),
    "live.js": ("oakum.web", "static/live.js", "text/javascript; charset=utf-8"),
    "htmx.js": ("oakum.web", "static/vendor/htmx.min.js", "text/javascript; charset=utf-8"),
    "uplot.js": ("oakum.web", "static/vendor/uplot.min.js", "text/javascript; charset=utf-8"),
    "uplot.css": ("oakum.web", "static/vendor/uplot.min.css", "text/css; charset=utf-8"),
    "htmx.LICENSE": ("oakum.web", "static/vendor/htmx.LICENSE", "text/plain; charset=utf-8"),
    "uplot.LICENSE": ("oakum.web", "static/vendor/uplot.LICENSE", "text/plain; charset=utf-8"),
}


def static_file(name: str) -> tuple[bytes, str, str] | None:
    """Return the bytes, the type and the digest of a file that is served; None for every other name."""
    return _read_file(name) if name in _FILES else None


@cache
def _read_file(name: str) -> tuple[bytes, str, str]:
    package, path, kind = _FILES[name]
    data = resources.files(package).joinpath(*path.split("/")).read_bytes()
    return data, kind, base64.urlsafe_b64encode(sha256(data).digest()[:9]).decode()


def static_address(name: str) -> str:
    """Return the address of a file: another one when its content is another, so that it can be kept forever."""
    found = static_file(name)
    if found is None:
        raise KeyError(name)
    return f"/static/{found[2]}/{name}"
