"""Addresses as people type them, and which redirects stay with a server."""

import pytest

from oakum.collect.web import address


@pytest.mark.parametrize(
    ("typed", "base", "named", "user"),
    [
        ("http://10.0.0.7:6060/", "http://10.0.0.7:6060", "10.0.0.7:6060", None),
        ("HTTP://Orders:80", "http://orders", "orders", None),
        ("https://h:443/k8s/clusters/c-1/", "https://h/k8s/clusters/c-1", "h", None),
        ("https+insecure://h:8443", "https://h:8443", "h:8443", None),
        ("http://[::1]:6060", "http://[::1]:6060", "[::1]:6060", None),
        ("http://[fe80::1%25eth0]:6060", "http://[fe80::1%25eth0]:6060", "[fe80::1]:6060", None),
        ("http://[fe80::1%eb0]", "http://[fe80::1%25eb0]", "[fe80::1]", None),
        ("http://admin:p%40ss@h", "http://h", "h", "admin:p@ss"),
        ("http://token@h", "http://h", "h", "token"),
        ("http://bücher.example", "http://xn--bcher-kva.example", "xn--bcher-kva.example", None),
    ],
)
def test_addresses(typed: str, base: str, named: str, user: str | None) -> None:
    place = address.read(typed)
    assert (place.base, place.named, place.user) == (base, named, user)
    assert place.insecure == typed.startswith("https+insecure")
    assert address.read(place.base).base == base


@pytest.mark.parametrize(
    ("here", "there", "below", "stays"),
    [
        ("http://h:1/a", "http://h:1/b", "", True),
        ("http://h:1/a", "http://H:1/b", "", True),
        ("http://h/a", "http://h:80/b", "", True),
        ("http://h:1/a", "https://h:2/b", "", True),
        ("http://h:1/a", "http://h:2/b", "", False),
        ("https://h/a", "http://h/a", "", False),
        ("http://h/a", "http://h.evil/a", "", False),
        ("http://h/a", "http://user@h/a", "", False),
        ("http://h/a", "ftp://h/a", "", False),
        ("http://h/p/a", "http://h/p", "/p", True),
        ("http://h/p/a", "http://h/p/", "/p", True),
        ("http://h/p/a", "http://h/p/../p/x", "/p", True),
        ("http://h/p/a", "http://h/private", "/p", False),
        ("http://h/p/a", "http://h/p/../x", "/p", False),
        ("http://h/p/a", "http://h/p/%2E%2e/x", "/p", False),
        ("http://h/a", "http://h:99999/a", "", False),
    ],
)
def test_which_redirects_stay(here: str, there: str, below: str, stays: bool) -> None:
    assert address.stays(here, there, below) == stays


def test_where_a_redirect_leads() -> None:
    assert address.joined("http://h/a/b", "c d#e") == "http://h/a/c%20d"
    assert address.joined("http://h/a/b", "http://[::1") == "http://[::1"


def test_what_is_shown_of_an_address_has_no_secrets() -> None:
    assert address.shown("https://a:b@h/login?code=xyz#t") == "https://h/login"
    assert address.shown("/x\x1b[2J\n") == "/x?[2J?"
    assert len(address.shown("/" + "x" * 10_000)) == 300
