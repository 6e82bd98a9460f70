import warnings

import pytest

from oakum.model import UsageError
from oakum.views.patterns import compiled


@pytest.mark.parametrize(
    ("expression", "matching", "others"),
    [
        ("runtime\\.(mallocgc|gopark)", ["runtime.gopark"], ["runtimeXgopark"]),
        ("(?i)HTTP", ["net/http.Get"], ["main.main"]),
        ("a(?i)B|C", ["ab", "aB", "c"], ["Ab", "d"]),
        ("(a(?i)b|c)D", ["abD", "aBD", "CD"], ["ABD", "abd"]),
        ("x$", ["ax"], ["ax\n"]),
        ("(?m)x$", ["ax\nb"], ["ab"]),
        ("x\\z", ["ax"], ["ax\n", "xa"]),
        ("^main\\.", ["main.x"], ["domain.x"]),
        ("\\pL+$", ["größe"], ["12"]),
        ("^\\P{Lu}$", ["a"], ["A"]),
        ("[\\p{Nd}_]x", ["7x", "_x"], ["ax"]),
        ("\\Qa.b\\Ec", ["a.bc"], ["axbc"]),
        ("^[[:alpha:]]+$", ["abc"], ["ab1"]),
        ("[]x]", ["]", "x"], ["["]),
        ("[[]", ["["], ["]"]),
        ("a{,3}", ["a{,3}"], ["aaa"]),
        ("^a{2,3}$", ["aa", "aaa"], ["a", "aaaa"]),
        ("{", ["{"], ["("]),
        ("^\\w+$", ["abc_1"], ["größe"]),
        ("\\bfoo\\b", ["a foo b"], ["afoo"]),
        ("[a-z&&b]c", ["&c", "dc"], ["Dc"]),
        ("[+--]", [",", "-"], ["*", "."]),
        ("(?P<n>x)(?<m>y)", ["xy"], ["yx"]),
        ("\\x41\\x{1F600}", ["A😀"], ["B😀"]),
        ("(?s:a.b)", ["a\nb"], ["ab"]),
        ("\\(\\*Server\\)\\.Serve$", ["net/http.(*Server).Serve"], ["net/http.(*Server).ServeTLS"]),
    ],
)
def test_go_expressions_mean_what_they_mean_in_go(expression: str, matching: list[str], others: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pattern = compiled(expression, "focus")
    assert [text for text in matching if not pattern.search(text)] == []
    assert [text for text in others if pattern.search(text)] == []


@pytest.mark.parametrize(
    "expression",
    ["(", ")", "[", "*a", "a**", "a++", "(?=x)", "(?!x)", "(?<=x)", "(?>x)", "\\1", "a\\", "(?U)a", "\\p{Nope}", "\\y",
     "[[:nope:]]", "x{2}{3}"],
)  # fmt: skip
def test_what_go_refuses_is_refused_naming_the_flag(expression: str) -> None:
    with pytest.raises(UsageError, match=r"^-hide="):
        compiled(expression, "hide")
