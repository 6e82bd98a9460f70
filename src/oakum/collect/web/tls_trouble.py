"""What went wrong with TLS -> words. OpenSSL's own are for those who wrote it."""

import ssl

# X509_V_ERR_*: what is wrong with a certificate.
_CERTIFICATES = {
    9: "its certificate is not valid yet; is a clock wrong?",
    10: "its certificate has expired",
    18: "its certificate is self-signed, and nobody vouches for it",
    19: "its certificate is signed by an authority that is not trusted here",
    20: "its certificate is signed by an authority that is not known here",
    21: "its certificate is signed by an authority that is not known here",
    23: "its certificate was revoked",
}
_NAMES = (62, 64)  # the name, the address is not in it

# Part of the name that OpenSSL gives an error -> what it means.
_OTHERS = (
    ("CERTIFICATE_REQUIRED", "it requires a client certificate: --tls-cert and --tls-key"),
    ("UNKNOWN_CA", "it does not know the authority of your certificate (--tls-cert)"),
    ("CERTIFICATE_EXPIRED", "your certificate (--tls-cert) has expired"),
    ("CERTIFICATE_REVOKED", "your certificate (--tls-cert) was revoked"),
    ("BAD_CERTIFICATE", "it does not accept your certificate, or wants one: --tls-cert and --tls-key"),
    ("CERTIFICATE_UNKNOWN", "it does not accept your certificate (--tls-cert)"),
    ("UNSUPPORTED_CERTIFICATE", "it does not accept your certificate (--tls-cert) for clients"),
    ("ACCESS_DENIED", "it does not let the owner of your certificate in"),
    ("WRONG_VERSION_NUMBER", "it does not speak TLS; try http://"),
    ("HTTP_REQUEST", "it does not speak TLS; try http://"),
    ("RECORD_LAYER_FAILURE", "it does not speak TLS; try http://"),
    ("PACKET_LENGTH_TOO_LONG", "it does not speak TLS; try http://"),
    ("UNRECOGNIZED_NAME", "it does not know itself by that name; --tls-server-name gives it another"),
    ("PROTOCOL_VERSION", "it speaks only TLS 1.0 or 1.1, which are not safe and not spoken here"),
    ("UNSUPPORTED_PROTOCOL", "it speaks only TLS 1.0 or 1.1, which are not safe and not spoken here"),
    (
        "HANDSHAKE_FAILURE",
        "it aborted the TLS handshake; if it requires a client certificate: --tls-cert, --tls-key",
    ),
    ("UNEXPECTED_EOF", "it closed the connection during TLS; does it speak plain http?"),
    ("TOO_SMALL", "its key is too short to be safe"),
    ("TOO_WEAK", "its certificate is signed in a way that is not safe"),
)


def in_words(error: ssl.SSLError) -> str:
    """Return what an error of TLS means, and what to do."""
    if isinstance(error, ssl.SSLCertVerificationError):
        if error.verify_code in _NAMES:
            # Hostname mismatch, certificate is not valid for '10.0.0.7'.
            name = error.verify_message.partition(" for ")[2].rstrip(".")
            return f"its certificate is for another name, not for {name}; --tls-server-name says which it has"
        what = _CERTIFICATES.get(error.verify_code) or f"its certificate is not trusted: {error.verify_message}"
        return f"{what}; --tls-ca FILE names the authority to trust, https+insecure:// trusts anybody"
    reason = (error.reason or "").upper()
    if isinstance(error, ssl.SSLEOFError):
        reason = "UNEXPECTED_EOF"
    return next((said for part, said in _OTHERS if part in reason), f"TLS failed: {reason.replace('_', ' ').lower()}")
