"""kube:// words of a watch are asked again: pods that come are watched, those that went are left, the others stay."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from collect.kubernetes.fake_api import FakeApi, api_server
from oakum.collect.web import Access
from oakum.model import OakumError
from oakum.watch.discovery import Discovery, Named


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeApi]:
    monkeypatch.delenv("KUBECONFIG", raising=False)
    with api_server() as fake:
        yield fake


def test_pods_are_followed_as_they_come_and_go(api: FakeApi, tmp_path: Path) -> None:
    access = Access(kubeconfig=api.kubeconfig(tmp_path), selector="app=orders")
    discovery = Discovery([Named("kube://pod", access=access)])
    troubles: list[tuple[str, str]] = []

    def now() -> dict[str, str]:
        found = discovery.refresh(lambda word, error: troubles.append((word, str(error))), lambda _: None)
        return {one.replica: one.service for one in found}

    assert discovery.changes
    first, second = api.pod("orders-7d9f5c5b9-x2k4l"), api.pod("orders-7d9f5c5b9-b7c8d")
    api.pods("shop", first)
    assert now() == {"shop_orders-7d9f5c5b9-x2k4l": "shop/orders"}
    (same,) = discovery.refresh(_fail, lambda _: None)
    api.pods("shop", first, second)
    assert set(now().values()) == {"shop/orders"}, "replicas of one service"
    assert same.target in [one.target for one in discovery.refresh(_fail, lambda _: None)], (
        "who stays is not opened again"
    )
    api.pods("shop", second)
    assert list(now()) == ["shop_orders-7d9f5c5b9-b7c8d"]
    api.answers["/api/v1/namespaces/shop/pods"] = (503, {"kind": "Status", "code": 503, "message": "overloaded"})
    assert list(now()) == ["shop_orders-7d9f5c5b9-b7c8d"], "an API server that does not answer takes nobody away"
    assert troubles
    assert troubles[0][0] == "kube://pod"
    discovery.close()


def _fail(word: str, error: OakumError) -> None:
    raise AssertionError(f"{word}: {error}")
