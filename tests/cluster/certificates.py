"""Throw-away certificates and keys of a cluster, made with openssl: one authority signs them all."""

import subprocess
from pathlib import Path

# Without a configuration of its own, openssl would make authorities of them all.
_CONFIGURATION = "[req]\ndistinguished_name = name\n[name]\n"
_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


def make_authority(folder: Path, days: int = 2) -> None:
    """Write ca.crt and ca.key."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "openssl.cnf").write_text(_CONFIGURATION, encoding="utf-8")
    _openssl(folder, "ca", "/CN=cluster", days, "basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign")


def make_certificate(folder: Path, name: str, subject: str, also: str = "", days: int = 2) -> None:
    """Write NAME.crt and NAME.key; `also` are the names of a server: "IP:10.240.0.4,DNS:localhost"."""
    extensions = ["basicConstraints=critical,CA:FALSE", "extendedKeyUsage=serverAuth,clientAuth"]
    if also:
        extensions.append(f"subjectAltName={also}")
    _openssl(folder, name, subject, days, *extensions, signed=True)


def _openssl(folder: Path, name: str, subject: str, days: int, *extensions: str, signed: bool = False) -> None:
    command = ["openssl", "req", "-x509", "-config", "openssl.cnf", *_KEY, "-days", str(days), "-subj", subject]
    command += ["-keyout", f"{name}.key", "-out", f"{name}.crt"]
    if signed:
        command += ["-CA", "ca.crt", "-CAkey", "ca.key"]
    for extension in extensions:
        command += ["-addext", extension]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


__all__ = ["make_authority", "make_certificate"]
