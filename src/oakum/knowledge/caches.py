"""Import path -> does its module make caches that are bounded by construction? The list is caches.toml."""

import tomllib
from functools import cache
from importlib.resources import files


def bounded_cache(path: str) -> bool:
    """Tell whether a package, whichever major version, is of a module whose caches always have a bound."""
    return any(path == module or path.startswith(f"{module}/") for module in _modules())


@cache
def _modules() -> tuple[str, ...]:
    text = files("oakum.knowledge").joinpath("caches.toml").read_text(encoding="utf-8")
    return tuple(tomllib.loads(text)["bounded"])
