"""A login -> what is sent and shown to the API server: headers, certificates. Files, tokens and plugins read anew.

Keys of a kubeconfig are in no file, but OpenSSL takes them only from one: it is written for its owner alone and removed
as soon as it is read.
"""

import base64
import binascii
import json
import ssl
import tempfile
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from oakum.collect.kubernetes import plugin
from oakum.collect.kubernetes.kubeconfig import Login
from oakum.collect.kubernetes.plugin import Given
from oakum.collect.web import vault
from oakum.collect.web.access import Access
from oakum.model import Text, UsageError


class Credentials:
    """Who we are to a cluster; threads share one, a plugin runs once for all."""

    def __init__(self, login: Login, access: Access) -> None:
        self._login, self._access = login, access
        self._lock = threading.RLock()
        self._given: Given | None = None
        self._context: ssl.SSLContext | None = None
        vault.note(access.token, login.user.token, login.user.password)

    def context(self) -> ssl.SSLContext:
        """Return how TLS is spoken to the API server."""
        with self._lock:
            if self._context is None:
                self._context = trusting(self._login.cluster.ca, self._login.cluster.insecure or self._access.insecure)
                self.show_certificate(self._context)
            return self._context

    def show_certificate(self, context: ssl.SSLContext) -> None:
        """Let a connection show our certificate, where we have one."""
        user = self._login.user
        if user.certificate:
            _load(context, user.certificate, user.key, f"user {user.name} of {self._login.source}")
        elif (given := self._from_plugin()) is not None and given.certificate:
            _load(context, given.certificate, given.key, f"the exec plugin of user {user.name}")

    @property
    def by_certificate(self) -> bool:
        """Tell whether a certificate alone says who we are: whoever sees it cannot use it."""
        user = self._login.user
        if self._token() or user.username:
            return False
        given = self._given
        return bool(user.certificate or (given is not None and given.certificate))

    def headers(self) -> dict[str, str]:
        """Return the headers that say who we are."""
        user = self._login.user
        headers = dict(user.headers)
        if token := self._token():
            headers["Authorization"] = f"Bearer {token}"
        elif user.username:
            pair = f"{user.username}:{user.password or ''}"
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        return headers

    def sent(self) -> Text:
        """Return who we are, and whether that has run out: what a 401 is about."""
        user, where = self._login.user, self._login.source
        if self._access.token or self._access.token_file:
            return _ended(Text("kube.sent.option"), _token_end(self._token()))
        whose = {"user": user.name, "where": where}
        if user.token_file or user.token:
            return _ended(Text("kube.sent.token", whose), _token_end(self._token()))
        if user.certificate:
            return _ended(Text("kube.sent.certificate", whose), _certificate_end(user.certificate))
        if user.username:
            return Text("kube.sent.password", whose)
        if user.plugin:
            return Text("kube.sent.plugin", {"command": user.plugin.command, "where": where})
        return Text("kube.sent.nobody", {"where": where})

    def _token(self) -> str | None:
        user = self._login.user
        if self._access.token:
            return self._access.token
        for path in (self._access.token_file, user.token_file):
            if path:
                try:
                    return Path(path).read_text(encoding="utf-8").strip()
                except (OSError, UnicodeDecodeError) as error:
                    if user.token is None or path == self._access.token_file:
                        raise UsageError(f"token file {path}: {error}") from error
        if user.token:
            return user.token
        given = self._from_plugin()
        return given.token if given is not None else None

    def _from_plugin(self) -> Given | None:
        """Return what the plugin gave, asked again when it has run out."""
        with self._lock:
            return self._asked()

    def _asked(self) -> Given | None:
        user = self._login.user
        # As for kubectl: who is somebody without the plugin does not run it.
        if user.plugin is None or user.certificate or user.username or self._access.token or self._access.token_file:
            return None
        if self._given is None or self._given.expired:
            self._given = plugin.ask(user.plugin, self._login.cluster)
            vault.note(self._given.token)
            if self._context is not None and self._given.certificate:
                _load(self._context, self._given.certificate, self._given.key, f"the exec plugin of user {user.name}")
        return self._given


@dataclass(frozen=True)
class ClusterAccess(Access):
    """How the API server, and what trusts it, is entered: the command line's access with the kubeconfig's."""

    credentials: Credentials | None = field(default=None, repr=False, compare=False)

    def sent(self, scheme: str) -> dict[str, str]:
        """Return the headers of a request; as for kubectl, credentials are for https alone."""
        headers = dict(self.headers)
        if scheme == "https" and self.credentials is not None:
            headers |= self.credentials.headers()
            vault.note_headers(headers)
        return headers


def trusting(authorities: bytes | None, insecure: bool) -> ssl.SSLContext:
    """Return how TLS is spoken with a server whose certificate is from one of these authorities."""
    try:
        made = ssl.create_default_context(cadata=authorities.decode("ascii", "replace") if authorities else None)
    except (ssl.SSLError, ValueError) as error:
        raise UsageError("the certificate-authority of the cluster, or the file of --tls-ca, is no PEM") from error
    # kubectl does not ask for what RFC 5280 wants of an authority's certificate; many clusters' have it not.
    made.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if insecure:
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
    return made


def _load(context: ssl.SSLContext, certificate: bytes, key: bytes | None, whose: str) -> None:
    with tempfile.NamedTemporaryFile(prefix="oakum-", suffix=".pem") as file:  # of mode 0600
        file.write(certificate + b"\n" + (key or b""))
        file.flush()
        try:
            # A key with a password would ask for it at the terminal.
            context.load_cert_chain(file.name, password=lambda: "")
        except (ssl.SSLError, OSError, ValueError) as error:
            raise UsageError(
                f"{whose}: the client certificate and its key do not go together, or are no PEM"
            ) from error


def _ended(what: Text, end: datetime | None) -> Text:
    """Return what was sent, and that it has run out."""
    if end is None or end > datetime.now(UTC):
        return what
    return Text("kube.sent.ended", {"what": what, "end": f"{end:%Y-%m-%d %H:%M} UTC"})


def _token_end(token: str | None) -> datetime | None:
    """Return when a token runs out, where it tells: a JSON web token does."""
    try:
        body = (token or "").split(".")[1]
        end = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))["exp"]
        return datetime.fromtimestamp(float(end), UTC)
    except (IndexError, KeyError, TypeError, ValueError, OverflowError, OSError, RecursionError):
        return None


def _certificate_end(pem: bytes) -> datetime | None:
    try:
        lines = pem.split(b"-----BEGIN CERTIFICATE-----")[1].split(b"-----END")[0]
        der = base64.b64decode(lines)
        # Certificate { TBSCertificate { [0] version, serial, algorithm, issuer, validity { not before, not after
        fields = _parts(_parts(_parts(der)[0][1])[0][1])
        kind, after = _parts(fields[4 if fields[0][0] == 0xA0 else 3][1])[1]
        text = after.decode("ascii")
        return datetime.strptime(text, "%y%m%d%H%M%SZ" if kind == 0x17 else "%Y%m%d%H%M%SZ").replace(tzinfo=UTC)
    except (IndexError, ValueError, binascii.Error):
        return None


def _parts(der: bytes) -> list[tuple[int, bytes]]:
    """Return what stands one after the other, as tag and content."""
    parts, at = [], 0
    while at < len(der):
        tag, start, end = _header(der, at)
        parts.append((tag, der[start:end]))
        at = end
    return parts


def _header(der: bytes, at: int) -> tuple[int, int, int]:
    length, start = der[at + 1], at + 2
    if length & 0x80:
        size = length & 0x7F
        length, start = int.from_bytes(der[start : start + size], "big"), start + size
    return der[at], start, start + length
