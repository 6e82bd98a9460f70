"""What every answer carries: a policy under which a page runs our own scripts only, and tells nobody of itself."""

import re

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; frame-src 'self'"
)
HEADERS: tuple[tuple[str, str], ...] = (
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "same-origin"),  # no-referrer would have browsers send Origin: null with a form
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), microphone=(), geolocation=(), interest-cohort=()"),
)
STRICT_TRANSPORT = ("Strict-Transport-Security", "max-age=31536000")

# Of a file that carries its own scripts: their hashes, and nothing from anywhere.
_HASHES = r"(?:'sha256-[A-Za-z0-9+/=]{43,44}' ?){1,20}"
_OWN = re.compile(
    rf"""<meta http-equiv="Content-Security-Policy" content="(default-src 'none'; script-src {_HASHES}; """
    rf"""style-src {_HASHES}; img-src data:; base-uri 'none'; form-action 'none')">"""
)
_UNKNOWN = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def apart(html: str) -> dict[str, str]:
    """Return the headers of a self-contained file, which may be shown in a frame of ours.

    It has an origin of its own, so that it reads nothing of ours; a policy that is not the report's gets no script.
    """
    found = _OWN.search(html, 0, 4096)
    policy = f"{found[1] if found else _UNKNOWN}; frame-ancestors 'self'"
    sandbox = "sandbox allow-scripts allow-popups allow-downloads" if found else "sandbox"
    return {"Content-Security-Policy": f"{policy}; {sandbox}", "X-Frame-Options": "SAMEORIGIN"}
