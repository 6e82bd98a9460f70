"""oakum serve: the history of a store as pages in a browser, on this machine. Runs until it is ended; exit 0."""

import os
from ipaddress import ip_address
from pathlib import Path

import click

from oakum.cli.outputs import lang_option, language
from oakum.model.errors import OakumError, StoreError, UsageError
from oakum.store import open_reader

_STORE = "oakum-store"  # as that of oakum watch
_TOKEN = "OAKUM_SERVE_TOKEN"
_SHORTEST = 16  # characters: what is guessed at 500 a second must not be found


@click.command(
    epilog="""Examples:

\b
  # what oakum watch keeps, at http://127.0.0.1:9470/
  oakum serve --store oakum-store
  # nothing can be changed or uploaded
  oakum serve --store oakum-store --read-only
  # for the team: with a token; by TLS with --tls-cert and --tls-key
  oakum serve --listen 0.0.0.0:9470 --host-name sre1 --token-file token

Without --listen it is reached from this machine only. Another address needs a token: --token-file, or
OAKUM_SERVE_TOKEN; programs send it as Authorization: Bearer.

Exit codes: 0 ended by a signal, 2 usage error, 4 failed.

See also: oakum watch (fills the store), oakum store add, docs/serve.md (pages, JSON API, security).
""",
)
@click.option("--store", metavar="DIR", help=f"The store (default: OAKUM_STORE, else ./{_STORE}).")
@click.option(
    "--listen",
    metavar="ADDRESS",
    default="127.0.0.1:9470",
    show_default=True,
    help="Address and port; port 0: a free one.",
)
@click.option(
    "--token-file", metavar="FILE", help="File with the token that everybody must know; or OAKUM_SERVE_TOKEN."
)
@click.option("--host-name", multiple=True, metavar="NAME", help="Name by which the server is reached; repeatable.")
@click.option("--tls-cert", metavar="FILE", help="Certificate: serve by TLS.")
@click.option("--tls-key", metavar="FILE", help="Key of the certificate.")
@click.option("--read-only", is_flag=True, help="Refuse whatever changes something: uploads, captures.")
@lang_option
def command(
    store: str | None,
    listen: str,
    token_file: str | None,
    host_name: tuple[str, ...],
    tls_cert: str | None,
    tls_key: str | None,
    read_only: bool,
    lang: str | None,
) -> int:
    """Open the history of a store in a browser: services, their growth, incidents, with a JSON API.

    The store is that of oakum watch, beside which it works; one that does not exist yet is an empty page with the
    next command to run. Nothing leaves this machine: no script or picture is loaded from elsewhere.
    """
    host, port = _address(listen)
    token = _token(token_file)
    if bool(tls_cert) != bool(tls_key):
        raise UsageError("--tls-cert and --tls-key belong together")
    if not _is_loopback(host) and not token:
        raise UsageError(f"--listen {listen}: others could reach it; name a token: --token-file FILE, or set {_TOKEN}")
    for file in (tls_cert, tls_key):
        if file and not Path(file).is_file():
            raise OakumError(f"{file}: no such file")
    try:
        from oakum.web.log import ServerLog
        from oakum.web.server import Server
        from oakum.web.settings import LOOPBACK, Settings
    except ImportError as error:
        raise OakumError(
            f"oakum serve needs what `pip install 'oakum[serve]'` installs ({error.name or error} is missing)"
        ) from error
    shown = f"[{host}]" if ":" in host else host
    place = Path(store or os.environ.get("OAKUM_STORE") or _STORE)
    _check_store(place)
    settings = Settings(
        store=place,
        host=host,
        port=port,
        names=tuple(dict.fromkeys(name.lower() for name in (*LOOPBACK, shown, *host_name))),
        token=token,
        read_only=read_only,
        lang=lang or language(),
    )
    log = ServerLog()
    server = Server(
        settings, log, certificate=Path(tls_cert) if tls_cert else None, key=Path(tls_key) if tls_key else None
    )
    if not _is_loopback(host) and not tls_cert:
        log.note("not-encrypted", why="whoever is on the way can read the token and the pages: --tls-cert, --tls-key")
    server.run()
    return 0


def _check_store(place: Path) -> None:
    """Raise for a store that no page could show, as one of a newer version. That there is none yet is said by pages."""
    try:
        open_reader(place).close()
    except StoreError as error:
        if error.text.key != "store.none":
            raise


def _address(listen: str) -> tuple[str, int]:
    host, _, port = listen.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise UsageError(f"--listen {listen}: write ADDRESS:PORT, as 127.0.0.1:9470")
    if host == "localhost":
        host = "127.0.0.1"
    try:
        ip_address(host)
    except ValueError:
        raise UsageError(
            f"--listen {listen}: {host} is no IP address; names by which it is reached are --host-name"
        ) from None
    return host, int(port)


def _is_loopback(host: str) -> bool:
    return ip_address(host).is_loopback


def _token(file: str | None) -> str:
    """Return the token; raise for one that could be guessed."""
    if file:
        try:
            token = Path(file).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise OakumError(f"--token-file {file}: {getattr(error, 'strerror', None) or 'not text'}") from error
    else:
        token = os.environ.get(_TOKEN, "").strip()
        if not token:
            return ""
    if len(token) < _SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        where = f"--token-file {file}" if file else _TOKEN
        raise UsageError(
            f"{where}: a token is {_SHORTEST} or more ASCII characters without blanks; openssl rand -hex 24"
        )
    return token
