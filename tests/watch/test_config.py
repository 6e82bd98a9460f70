"""The configuration: every mistake is said with its line, credentials are named and never written, --check shows the plan."""

import json
from pathlib import Path

import pytest

from oakum.collect.web import Access
from oakum.model import OakumError, UsageError
from oakum.watch.announcer import open_channels
from oakum.watch.config import parse
from oakum.watch.discovery import Discovery, groups_in, named_tables, named_words
from support import oakum

GOOD = """store = "/var/lib/oakum"
every = "30s"
[budget]
cpu = "1%"
network = "5MB/h"
[retention]
raw = "24h"
size = "2GiB"
[incidents]
settle = "15m"
[exporter]
listen = "127.0.0.1:9469"
[[target]]
url = "http://10.0.0.7:6060"
service = "orders"
[[target]]
url = "kube://pod/shop"
selector = "app=cart"
every = "2m"
[[notify]]
type = "webhook"
url_env = "HOOK"
"""


def test_what_is_told_is_read() -> None:
    config = parse(GOOD.encode(), "watch.toml")
    assert (config.every, config.settle, config.listen) == (30.0, 900.0, "127.0.0.1:9469")
    assert config.allowance.cpu_share == pytest.approx(0.01)
    assert config.allowance.bytes_per_hour == 5e6
    one, two = named_tables(config)
    assert (one.service, one.word, one.every) == ("orders", "http://10.0.0.7:6060", None)
    assert (two.access.selector, two.every) == ("app=cart", 120.0)
    assert [channel.name for channel in open_channels(config)] == ["webhook"]


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ('every = "30s"', 'every = "soon"', 2, "no duration"),
        ('every = "30s"', "every = 30", 2, "expected `str`"),
        ('cpu = "1%"', 'cpu = "200%"', 4, "no share of a core"),
        ('network = "5MB/h"', 'netwrk = "5MB/h"', 5, "did you mean network?"),
        ('size = "2GiB"', 'size = "big"', 8, "no size"),
        ('listen = "127.0.0.1:9469"', 'listen = "0.0.0.0:9469"', 12, "only loopback"),
        ('url = "http://10.0.0.7:6060"', 'url = "http://me:secret@10.0.0.7:6060"', 14, "credentials do not belong"),
        ('url = "http://10.0.0.7:6060"', 'url = "journal:kubelet"', 14, "nothing that can be watched"),
        ('service = "orders"', 'servce = "orders"', 15, "did you mean service?"),
        ('service = "orders"', 'token_env = "NOT_THERE_AT_ALL"', 15, "the environment has no"),
        ('every = "2m"', 'token_file = "/does/not/exist"', 19, "no such file"),
        ('url_env = "HOOK"', 'url_emv = "HOOK"', 22, "url_emv"),
        ('type = "webhook"', 'type = "pager"', 21, "pager"),
        ('every = "30s"', 'every = "30s', 2, "no valid TOML"),
    ],
)
def test_a_mistake_is_said_with_its_line(old: str, new: str, line: int, said: str) -> None:
    def read() -> None:
        config = parse(GOOD.replace(old, new, 1).encode(), "watch.toml")
        named_tables(config)
        open_channels(config)

    with pytest.raises(OakumError) as raised:
        read()
    assert str(raised.value).startswith(f"watch.toml:{line}:"), raised.value
    assert said in str(raised.value)
    assert "secret" not in str(raised.value)


def test_check_says_what_would_be_watched_and_asks_nobody(tmp_path: Path) -> None:
    targets = tmp_path / "targets.json"
    targets.write_text(json.dumps([{"targets": ["10.0.0.1:6060", "10.0.0.2:6060"], "labels": {"job": "cart"}}]))
    config = tmp_path / "watch.toml"
    config.write_text(f'every = "5m"\n[[target]]\nfile_sd = "{targets}"\n[[target]]\nurl = "http://10.9.9.9:1"\n')
    answer = oakum("watch", "--config", config, "--check", "--store", tmp_path / "s")
    assert answer.code == 0, answer.err
    assert "every     5m" in answer.out
    assert "10.0.0.2:6060 (cart)" in answer.out
    assert "http://10.9.9.9:1" in answer.out
    assert not (tmp_path / "s").exists()
    config.write_text("every = 5\n")
    answer = oakum("watch", "--config", config, "--check")
    assert answer.code == 2
    assert f"{config}:1: every:" in answer.err
    assert oakum("watch", "--check").code == 2
    assert "--cpu-budget" in oakum("watch", "http://a:1", "--cpu-budget", "lots", "--check").err


def test_words_name_services() -> None:
    one, two, three = named_words(["orders=http://10.0.0.7:6060", "10.0.0.8:6060", "https://u:pw@h:1/x"], Access())
    assert (one.service, one.word) == ("orders", "http://10.0.0.7:6060")
    assert two.word == "http://10.0.0.8:6060"
    assert "pw" not in three.word
    for word in ("journal:kubelet", "shim:abc", "prometheus+http://x", "nonsense"):
        with pytest.raises(UsageError):
            named_words([word], Access())


def test_discovery_files_are_read_again_when_they_change(tmp_path: Path) -> None:
    file = tmp_path / "targets.yml"
    file.write_text(
        "- targets: ['10.0.0.1:6060']\n  labels: {job: cart, __scheme__: https}\n- targets: ['10.0.0.2:6060']\n"
    )
    discovery = Discovery(named_words([str(file)], Access()))
    troubles: list[str] = []

    def refresh() -> list[tuple[str, str, str]]:
        found = discovery.refresh(lambda word, error: troubles.append(str(error)), lambda _: None)
        return [(one.key, one.service, one.replica) for one in found]

    first = refresh()
    assert first == [
        ("https://10.0.0.1:6060", "cart", "10.0.0.1:6060"), ("http://10.0.0.2:6060", "10.0.0.2:6060", "10.0.0.2:6060"),
    ]  # fmt: skip
    kept = discovery.refresh(lambda *_: None, lambda _: None)[1].target
    file.write_text("- targets: ['10.0.0.2:6060', '10.0.0.3:6060']\n")
    assert [key for key, *_ in refresh()] == ["http://10.0.0.2:6060", "http://10.0.0.3:6060"]
    assert discovery.refresh(lambda *_: None, lambda _: None)[0].target is kept, "what is known stays as it is"
    file.write_text("- targets: nonsense")
    assert [key for key, *_ in refresh()] == ["http://10.0.0.2:6060", "http://10.0.0.3:6060"]
    assert "no list of targets" in troubles[0]
    file.unlink()
    assert len(refresh()) == 2
    discovery.close()


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b'[{"targets": ["a b"]}]', b"\xff\xfe", b"a: [", b"[" * 100_000])
def test_what_is_no_discovery_file_is_said_to_be_none(data: bytes) -> None:
    with pytest.raises(OakumError, match=r"sd\.json"):
        groups_in(data, "sd.json")
