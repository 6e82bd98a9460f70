"""How a server is entered: certificates, tokens, headers, the cluster and its user. Secrets are never shown."""

import base64
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from oakum.collect.web import vault
from oakum.model import UsageError

if TYPE_CHECKING:
    import ssl

_LONGEST = 1 << 20  # bytes of a token file; a service account's token has about a thousand


@dataclass(frozen=True)
class Access:
    """What the command line says of credentials; the same for all targets of one call."""

    tls_ca: str | None = None  # files, as pprof's -tls_ca, -tls_cert, -tls_key
    tls_cert: str | None = None
    tls_key: str | None = None
    insecure: bool = False  # the certificate of the server is not checked: https+insecure://
    server_name: str | None = None  # the name in the server's certificate, where it is not that of the address
    # What a kubeconfig brings: keys that are in no file, a proxy for this server alone. They go before all above.
    tls: "ssl.SSLContext | None" = field(default=None, repr=False, compare=False)
    proxy: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    token_file: str | None = None
    user: str | None = field(default=None, repr=False)  # "name:password"
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    kubeconfig: str | None = None
    context: str | None = None
    namespace: str | None = None
    selector: str | None = None
    all_namespaces: bool = False

    def sent(self, scheme: str) -> dict[str, str]:
        """Return the headers of a request. Token files are read anew each time: clusters rotate them."""
        del scheme
        headers = dict(self.headers)
        token = self._token()
        if token or self.user:
            # One that was given by hand, whatever its case, must not stand beside it.
            headers = {name: value for name, value in headers.items() if name.lower() != "authorization"}
            headers["Authorization"] = f"Bearer {token}" if token else basic(self.user or "")
        return headers

    def to_strangers(self) -> "Access":
        """Return it for a server that nobody named: no secret goes there; a client certificate is none."""
        return replace(self, token=None, token_file=None, user=None, headers=())

    def by_name(self) -> "Access":
        """Return it for what is named in full: -n, -l and -A choose nothing."""
        return replace(self, namespace=None, selector=None, all_namespaces=False)

    def check(self) -> None:
        """Raise a UsageError when a file or a header cannot be used: before anybody is asked anything."""
        from oakum.collect.web import tls

        if self.token and self.token_file:
            raise UsageError("--token and --token-file exclude each other")
        if self.tls_key and not self.tls_cert:
            raise UsageError("--tls-key is the key of a certificate: --tls-cert FILE names it")
        check(self.sent("https"))
        if self.tls_ca or self.tls_cert:
            tls.context(self)

    def secrets(self) -> tuple[bytes, ...]:
        """Return what must never be written: the credentials of this access, and all that this process has sent."""
        with suppress(UsageError):  # what cannot be read is not sent either
            vault.note_headers(self.sent("https"))
        vault.note(self.token, self.user, (self.user or "").partition(":")[2])
        return vault.known()

    def _token(self) -> str | None:
        if self.token or not self.token_file:
            return self.token
        try:
            with Path(self.token_file).open("rb") as file:
                token = file.read(_LONGEST).decode("utf-8").strip()
        except OSError as error:
            raise UsageError(f"--token-file {self.token_file}: {error.strerror or error}") from error
        except UnicodeDecodeError as error:
            raise UsageError(f"--token-file {self.token_file}: this is no text, and no token") from error
        if not token:
            raise UsageError(f"--token-file {self.token_file}: the file is empty")
        return token


def basic(user: str) -> str:
    vault.note(user, user.partition(":")[2])
    return f"Basic {base64.b64encode(user.encode()).decode()}"


def check(headers: Mapping[str, str]) -> None:
    """Refuse headers that would break a request apart, without repeating a value."""
    for name, value in headers.items():
        if not name.isascii() or not all(char.isalnum() or char in "!#$%&'*+-.^_`|~" for char in name) or not name:
            raise UsageError("-H: a header is a name, a colon and a value: -H 'X-Scope-OrgID: team-a'")
        if value != value.strip() or not value.isprintable() or not value.isascii():
            raise UsageError(f"the value of the header {name} has characters that no header can have; is it cut?")
