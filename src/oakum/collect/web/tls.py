"""What is asked of a server's certificate, and which of ours is shown. Contexts are shared: they are large."""

import ssl
import threading
from functools import lru_cache
from pathlib import Path

from oakum.collect.web.access import Access
from oakum.model import UsageError

_one_at_a_time = threading.Lock()


def context(access: Access) -> ssl.SSLContext:
    """Return how TLS is spoken; raise when a file of it cannot be used. Files that were renewed are read anew."""
    if access.tls is not None:
        return access.tls
    files = (access.tls_ca, access.tls_cert, access.tls_key)
    with _one_at_a_time:
        return _made(*files, access.insecure, tuple(_stamp(file) for file in files))


@lru_cache(maxsize=64)
def _made(
    ca: str | None, cert: str | None, key: str | None, insecure: bool, stamps: tuple[object, ...]
) -> ssl.SSLContext:
    del stamps  # they are there to tell renewed files from the old ones
    try:
        made = ssl.create_default_context(cafile=ca)
    except OSError as error:
        raise UsageError(f"--tls-ca {ca}: {_why(error, 'no certificates in PEM form are in it')}") from error
    # From Python 3.13 on what Go and kubectl let pass is refused: authorities without key identifiers.
    made.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if insecure:
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
    if cert:
        try:
            made.load_cert_chain(cert, key, password=_refuse)
        except OSError as error:
            why = _why(error, "no certificate and key in PEM form, or the key of another certificate")
            raise UsageError(f"--tls-cert {cert}, --tls-key {key or cert}: {why}") from error
    return made


def _refuse() -> str:
    # OpenSSL would ask on the terminal, in the middle of a capture.
    raise UsageError("--tls-key: the key has a password; openssl pkey -in KEY -out PLAIN makes one without")


def _why(error: OSError, not_pem: str) -> str:
    return not_pem if isinstance(error, ssl.SSLError) else str(error.strerror or error)


def _stamp(file: str | None) -> tuple[int, int] | None:
    try:
        found = Path(file).stat() if file else None
    except OSError:
        return None  # it is said when the file is read
    return (found.st_mtime_ns, found.st_ino) if found else None
