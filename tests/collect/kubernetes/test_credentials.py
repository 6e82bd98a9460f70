"""Who we are to a cluster: what is sent and shown, renewed when it runs out, and kept to https."""

import base64
import json
import ssl
from pathlib import Path

import pytest

from oakum.collect.kubernetes.credentials import ClusterAccess, Credentials, trusting
from oakum.collect.kubernetes.kubeconfig import Cluster, Login, Plugin, User
from oakum.collect.web import Access, vault
from oakum.model import UsageError
from oakum.report.words.lines import worded

TLS = Path(__file__).with_name("testdata") / "tls"
CA, CERTIFICATE, KEY = ((TLS / name).read_bytes() for name in ("ca.crt", "admin.crt", "admin.key"))
EXPIRED = (Path(__file__).parents[1] / "web" / "testdata" / "expired.pem").read_bytes()


def credentials(user: User, access: Access | None = None) -> Credentials:
    return Credentials(Login(Cluster("prod", "https://10.0.0.1", CA), user, source="context prod"), access or Access())


def sent(user: User, access: Access | None = None) -> str:
    return credentials(user, access).headers().get("Authorization", "")


def test_which_token_goes_first(tmp_path: Path) -> None:
    file, other = tmp_path / "token", tmp_path / "other"
    file.write_text("of-file\n", encoding="utf-8")
    other.write_text("of-flag-file", encoding="utf-8")
    assert sent(User("a", token="t")) == "Bearer t"
    assert sent(User("a", token="t", token_file=str(file))) == "Bearer of-file"
    assert sent(User("a", token="t", token_file="/nowhere")) == "Bearer t"
    assert sent(User("a", token="t"), Access(token_file=str(other))) == "Bearer of-flag-file"
    assert sent(User("a", token="t"), Access(token="of-flag")) == "Bearer of-flag"
    assert sent(User("a", username="u", password="p")) == f"Basic {base64.b64encode(b'u:p').decode()}"
    assert sent(User("a")) == ""
    with pytest.raises(UsageError, match="token file /nowhere"):
        sent(User("a", token_file="/nowhere"))


def test_a_token_file_is_read_anew(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("one", encoding="utf-8")
    found = credentials(User("a", token_file=str(file)))
    assert found.headers()["Authorization"] == "Bearer one"
    file.write_text("two", encoding="utf-8")
    assert found.headers()["Authorization"] == "Bearer two"


def test_a_plugin_runs_once_until_what_it_gave_runs_out(tmp_path: Path) -> None:
    runs, until = tmp_path / "runs", tmp_path / "until"
    until.write_text("2999-01-01T00:00:00Z", encoding="utf-8")
    answer = {"apiVersion": "client.authentication.k8s.io/v1", "status": {"token": "T", "expirationTimestamp": "WHEN"}}
    text = json.dumps(answer).replace('"WHEN"', '"\'$(cat "$UNTIL")\'"')
    login = tmp_path / "login"
    login.write_text(f"#!/bin/sh\necho run >> '{runs}'\necho '{text}'\n", encoding="utf-8")
    login.chmod(0o755)
    plugin = Plugin(str(login), (), (("UNTIL", str(until)),), "client.authentication.k8s.io/v1", interactive="Never")
    found = credentials(User("a", plugin=plugin))
    found.context()
    for _ in range(3):
        assert found.headers()["Authorization"] == "Bearer T"
    assert runs.read_text(encoding="utf-8") == "run\n"
    assert sent(User("a", plugin=plugin), Access(token="mine")) == "Bearer mine"  # somebody else already
    assert runs.read_text(encoding="utf-8") == "run\n"
    until.write_text("2020-01-01T00:00:00Z", encoding="utf-8")
    late = credentials(User("a", plugin=plugin))
    assert late.headers() == late.headers()
    assert runs.read_text(encoding="utf-8").count("run") == 3


def test_nothing_is_sent_without_encryption() -> None:
    access = ClusterAccess(credentials=credentials(User("a", token="t")))
    assert access.sent("https") == {"Authorization": "Bearer t"}
    assert access.sent("http") == {}
    assert "'t'" not in repr(access)


def test_whom_we_act_as() -> None:
    found = credentials(User("a", token="t", headers=(("Impersonate-User", "ann"),))).headers()
    assert found == {"Impersonate-User": "ann", "Authorization": "Bearer t"}


def test_what_was_read_is_noted_as_secret() -> None:
    sent(User("a", token="a-token-to-be-hidden"))
    assert b"a-token-to-be-hidden" in vault.known()


def test_a_certificate_that_is_in_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found = credentials(User("a", certificate=CERTIFICATE, key=KEY))
    assert found.context().verify_mode is ssl.CERT_REQUIRED
    assert found.by_certificate
    assert not list(tmp_path.iterdir())
    assert not credentials(User("a", certificate=CERTIFICATE, key=KEY), Access(token="t")).by_certificate


@pytest.mark.parametrize("key", [None, b"garbage", EXPIRED])
def test_a_key_that_does_not_fit(key: bytes | None) -> None:
    with pytest.raises(UsageError, match="do not go together, or are no PEM"):
        credentials(User("a", certificate=CERTIFICATE, key=key)).context()


def test_authorities() -> None:
    assert len(trusting(CA, insecure=False).get_ca_certs()) == 1
    assert trusting(None, insecure=True).verify_mode is ssl.CERT_NONE
    with pytest.raises(UsageError, match="no PEM"):
        trusting(b"garbage", insecure=False)


def test_what_a_401_is_about() -> None:
    body = base64.urlsafe_b64encode(json.dumps({"exp": 1_600_000_000}).encode()).decode().rstrip("=")
    words = worded(credentials(User("a", token=f"x.{body}.z")).sent())
    assert words == "the token of user a (context prod), which ran out at 2020-09-13 12:26 UTC"
    assert worded(credentials(User("a", certificate=CERTIFICATE, key=KEY)).sent()).endswith("user a (context prod)")
    assert ", which ran out at 20" in worded(credentials(User("a", certificate=EXPIRED)).sent())
    assert worded(credentials(User("a")).sent()) == "nobody: context prod has no credentials"
    for broken in ("x", "x.y", "x.!!!.z", f"x.{base64.urlsafe_b64encode(b'[]').decode()}.z"):
        assert worded(credentials(User("a", token=broken)).sent()) == "the token of user a (context prod)"
    assert worded(credentials(User("a", certificate=b"-----BEGIN CERTIFICATE-----\nMIIB\n-----END")).sent())
