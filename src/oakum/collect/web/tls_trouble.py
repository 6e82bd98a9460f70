"""What went wrong with TLS -> Text. OpenSSL's own words are for those who wrote it."""

import ssl

from oakum.model import Text

# X509_V_ERR_*: what is wrong with a certificate -> web.cert.NAME in report/words/web.py.
_CERTIFICATES = {
    9: "early", 10: "expired", 18: "self-signed", 19: "untrusted", 20: "unknown", 21: "unknown", 23: "revoked",
}  # fmt: skip
_NAMES = (62, 64)  # the name, the address is not in it

# Part of the name that OpenSSL gives an error -> web.tls.NAME.
_OTHERS = (
    ("CERTIFICATE_REQUIRED", "required"),
    ("UNKNOWN_CA", "unknown-ca"),
    ("CERTIFICATE_EXPIRED", "expired"),
    ("CERTIFICATE_REVOKED", "revoked"),
    ("BAD_CERTIFICATE", "bad"),
    ("CERTIFICATE_UNKNOWN", "not-accepted"),
    ("UNSUPPORTED_CERTIFICATE", "not-for-clients"),
    ("ACCESS_DENIED", "denied"),
    ("WRONG_VERSION_NUMBER", "plain"),
    ("HTTP_REQUEST", "plain"),
    ("RECORD_LAYER_FAILURE", "plain"),
    ("PACKET_LENGTH_TOO_LONG", "plain"),
    ("UNRECOGNIZED_NAME", "name"),
    ("PROTOCOL_VERSION", "old"),
    ("UNSUPPORTED_PROTOCOL", "old"),
    ("HANDSHAKE_FAILURE", "handshake"),
    ("UNEXPECTED_EOF", "closed"),
    ("TOO_SMALL", "short-key"),
    ("TOO_WEAK", "weak"),
)


def in_words(error: ssl.SSLError) -> Text:
    """Return what an error of TLS means, and what to do."""
    if isinstance(error, ssl.SSLCertVerificationError):
        if error.verify_code in _NAMES:
            # Hostname mismatch, certificate is not valid for '10.0.0.7'.
            return Text("web.cert.name", {"name": error.verify_message.partition(" for ")[2].rstrip(".")})
        name = _CERTIFICATES.get(error.verify_code)
        said = {"said": error.verify_message}
        return Text("web.cert", {"what": Text(f"web.cert.{name}") if name else Text("web.cert.other", said)})
    reason = (error.reason or "").upper()
    if isinstance(error, ssl.SSLEOFError):
        reason = "UNEXPECTED_EOF"
    known = next((name for part, name in _OTHERS if part in reason), "")
    return Text(f"web.tls.{known}") if known else Text("web.tls", {"said": reason.replace("_", " ").lower()})
