import numpy as np
import pytest
from msgspec.structs import replace

from handmade import profile, stacks_of
from oakum.views.names import plain_names, simplified, without_arguments


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("std::vector<int>::push_back(int&&)", "std::vector::push_back"),
        ("foo<bar<baz>>::f(void (*)(int))", "foo::f"),
        ("A::operator->()", "A::operator->"),
        ("main.main", "main.main"),
        ("net/http.(*Server).Serve", "net/http.(*Server).Serve"),
        ("main.(*Pool[...]).Get", "main.(*Pool[...]).Get"),
        ("main.Map[...]", "main.Map[...]"),
        ("java.lang.Object.<init>", "java.lang.Object.<init>"),
    ],
)
def test_only_names_of_c_plus_plus_are_simplified(name: str, plain: str) -> None:
    assert simplified(name) == plain


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("f(int)", "f"),
        (".f", "f"),
        ("ns::(anonymous namespace)::g(int)", "ns::(anonymous namespace)::g"),
        ("X::operator()(int)", "X::operator()"),
        ("net/http.(*Server).Serve", "net/http."),
    ],
)
def test_arguments_come_off(name: str, bare: str) -> None:
    assert without_arguments(name) == bare


def test_simplified_names_replace_the_old_ones() -> None:
    given = profile([("a::f(int) main", (1,)), ("a::f(char) main", (2,))])
    assert stacks_of(plain_names(given)) == [("a::f main", 1), ("a::f main", 2)]
    assert stacks_of(given) == [("a::f(int) main", 1), ("a::f(char) main", 2)]


def test_a_name_given_by_the_producer_stays() -> None:
    given = profile([("a::f(int) main", (1,))])
    other = replace(given, functions=replace(given.functions, system_name=np.zeros(2, np.int32)))
    assert plain_names(other) is other
