"""Words of the command line -> targets, and words that are none."""

import pytest

from oakum.collect.pprof.http import open as opened
from oakum.collect.web import Access
from oakum.model import UsageError


@pytest.mark.parametrize(
    ("word", "address", "name", "process"),
    [
        ("http://h:6060", "http://h:6060", "h:6060", "h:6060"),
        ("http://h:6060/", "http://h:6060", "h:6060", "h:6060"),
        ("http://H:6060/debug/pprof/", "http://h:6060/debug/pprof", "h:6060", "h:6060"),
        ("http://gw/orders", "http://gw/orders", "gw/orders", "gw:80"),
        ("http://gw/orders/debug/pprof", "http://gw/orders/debug/pprof", "gw/orders", "gw:80"),
        ("https://h", "https://h", "h", "h:443"),
        ("https+insecure://h:10250", "https+insecure://h:10250", "h:10250", "h:10250"),
        ("http://localhost:6060", "http://localhost:6060", "localhost:6060", "127.0.0.1:6060"),
        ("http://[::1]:6060", "http://[::1]:6060", "[::1]:6060", "127.0.0.1:6060"),
        ("http://h:6060/debug/pprof/heap", "http://h:6060/debug/pprof/heap", "h:6060", "h:6060"),
        (
            "http://h/a/debug/pprof/goroutine?debug=2",
            "http://h/a/debug/pprof/goroutine?debug=2",
            "h/a",
            "h:80",
        ),
        (
            "unix:///run/containerd/debug.sock",
            "unix:///run/containerd/debug.sock",
            "containerd-debug",
            "unix:/run/containerd/debug.sock",
        ),
        ("unix:///run/app.sock:/admin/", "unix:///run/app.sock:/admin", "app/admin", "unix:/run/app.sock"),
        ("unix:///run/app.sock:/", "unix:///run/app.sock", "app", "unix:/run/app.sock"),
        (
            "unix:///run/app.sock:/debug/pprof/heap?gc=1",
            "unix:///run/app.sock:/debug/pprof/heap?gc=1",
            "app",
            "unix:/run/app.sock",
        ),
    ],
)
def test_what_a_word_names(word: str, address: str, name: str, process: str) -> None:
    (target,) = opened(word, Access())
    assert (target.address, target.name, target.process) == (address, name, process)


def test_a_password_is_shown_nowhere() -> None:
    (target,) = opened("http://admin:hunter2@h:6060/orders", Access())
    shown = (target.address, target.name, target.process, target.endpoint.url("/x"), repr(target.endpoint))
    assert not any("hunter2" in text or "admin" in text for text in shown)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("http://", "http://HOST:PORT"),
        ("http://h:port", "no address"),
        ("http://h x:6060", "blanks"),
        ("unix://debug.sock", "unix:///run/containerd/debug.sock is one"),
        ("unix://", "unix:///run/containerd/debug.sock is one"),
        ("http://h/debug/pprof/cmdline", "secrets"),
        ("http://h/debug/pprof/symbol", "no profile"),
        ("http://h/debug/pprof/heap?token=hunter2", "--token"),
        ("http://h/debug/pprof/profile?seconds=99999", "a number up to 3600"),
        ("http://h/debug/pprof/heap?debug=x", "debug is a number"),
    ],
)
def test_words_that_are_none(word: str, said: str) -> None:
    with pytest.raises(UsageError) as raised:
        opened(word, Access())
    assert said in str(raised.value)
    assert "hunter2" not in str(raised.value)
