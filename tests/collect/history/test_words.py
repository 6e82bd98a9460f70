"""Words that name a store of the past: what they say, and what is said of wrong ones."""

from datetime import timedelta

import pytest

from oakum.collect.history.selector import selector
from oakum.collect.history.word import in_words, read
from oakum.model import UsageError


def test_a_word_says_where_which_process_and_how_far_back() -> None:
    said = read('prometheus+https://ann:secret@prom.example/prefix/?match={job="a&b",pod=~"o.+"}&last=1h30m&step=15s')
    assert said.kind == "prometheus"
    assert said.base == "https://ann:secret@prom.example/prefix"
    assert said.shown == "https://prom.example/prefix"
    assert str(said.match) == '{job="a&b",pod=~"o.+"}'
    assert (said.last, said.step) == (timedelta(minutes=90), timedelta(seconds=15))
    assert "secret" not in said.example("x")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("job=kubelet", '{job="kubelet"}'),
        ("job=kubelet,instance=n7:10250", '{job="kubelet",instance="n7:10250"}'),
        ("%7Bjob%3D%22kubelet%22%7D", '{job="kubelet"}'),
        ("{job='kubelet', pod!=\"x\"}", '{job="kubelet",pod!="x"}'),
        (r'{path="C:\\tmp \"q\""}', r'{path="C:\\tmp \"q\""}'),
    ],
)
def test_selectors_are_read_as_people_type_them(typed: str, meant: str) -> None:
    assert str(read(f"parca+http://h?match={typed}").match) == meant


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("prometheus+http://h?job=x", "only match, last, step, others can be given there"),
        ("prometheus+http://h?last=soon", "last=soon is no length of time"),
        ("prometheus+http://h?last=0s", "longer than nothing"),
        ("prometheus+http://h?match={job=", "one brace too few"),
        ("prometheus+http://h?match={job}", "cannot be read at"),
        ("prometheus+http://h?match={}", "selects everything"),
        ("prometheus+http://h?match=a=b&others=99", "0 to 20"),
        ("pyroscope+http://u:pw@h?last=x", "pyroscope+http://h: last=x"),
    ],
)
def test_wrong_words_are_told_with_an_example(word: str, why: str) -> None:
    with pytest.raises(UsageError) as told:
        read(word)
    assert why in str(told.value)
    assert "pw@" not in str(told.value)


def test_a_value_is_quoted_for_the_query() -> None:
    assert selector('{a="x\\"} or up{b=\\"y"}').inner() == 'a="x\\"} or up{b=\\"y"'


def test_spans_are_said_as_they_are_typed() -> None:
    assert [in_words(timedelta(seconds=s)) for s in (90, 5400, 21600, 86400)] == ["90s", "1h30m", "6h", "1d"]
