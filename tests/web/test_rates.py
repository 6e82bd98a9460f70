"""Buckets of requests, sessions and tokens, by a clock that the test sets."""

from oakum.web.security.forms import FormTokens
from oakum.web.security.rates import Rates
from oakum.web.security.sessions import LASTS, Sessions


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_fills_again() -> None:
    clock = Clock()
    rates = Rates(per_second=2.0, burst=3, clock=clock)
    assert [rates.admits("a") for _ in range(4)] == [True, True, True, False]
    assert rates.admits("b"), "others have their own"
    clock.now += 0.5
    assert [rates.admits("a") for _ in range(2)] == [True, False]
    clock.now += 3600
    assert [rates.admits("a") for _ in range(4)] == [True, True, True, False]


def test_addresses_are_bounded() -> None:
    rates = Rates(per_second=1.0, burst=1)
    for number in range(5000):
        rates.admits(str(number))
    assert len(rates._left) <= 1024


def test_a_session_ends_and_is_nobody_elses() -> None:
    clock = Clock()
    sessions = Sessions("0123456789abcdef", clock)
    cookie = sessions.open()
    assert sessions.is_valid(cookie)
    for other in ("", ".", "x.9999999999.", cookie[:-1], cookie.replace(".", ".9", 1), "a" * 10_000, "é.1.é"):
        assert not sessions.is_valid(other), other
    assert not Sessions("0123456789abcdef", clock).is_valid(cookie), "the key is of one process"
    clock.now += LASTS + 1
    assert not sessions.is_valid(cookie)


def test_without_a_token_nothing_is_the_token() -> None:
    assert Sessions("").attempt("a", "") == "wrong"


def test_a_form_token_is_of_its_visitor() -> None:
    tokens = FormTokens()
    one, other = tokens.visitor(), tokens.visitor()
    assert tokens.fits(one, tokens.token(one))
    assert not tokens.fits(one, tokens.token(other))
    assert not tokens.fits("", tokens.token(""))
    assert not FormTokens().fits(one, tokens.token(one))
