"""The JSON API against its description: every route is in it, every answer fits it, pages lead through everything."""

import json
from importlib import resources
from typing import Any

import msgspec
import pytest
from starlette.testclient import TestClient

from oakum.web import api
from oakum.web.pages.api import ROUTES
from web_store import AT, END, HOUR, HUB

ORDERS = "/api/v1/services/orders"


def test_the_file_is_what_the_types_say() -> None:
    """Renew it: python -c "import json; from oakum.web.api import described; print(json.dumps(described(), indent=1))"."""
    kept = json.loads(resources.files("oakum.web").joinpath("openapi.json").read_text())
    assert kept == json.loads(json.dumps(api.described()))


def test_every_route_is_described() -> None:
    described = {(path, method.upper()) for path, told in api.described()["paths"].items() for method in told}
    served = {(route.path, method) for route in ROUTES for method in route.methods or () if method != "HEAD"}
    assert served - described == {("/api/v1/openapi.json", "GET"), ("/api/v1/grafana/", "GET")}
    assert described <= served


@pytest.mark.parametrize(("path", "told"), [(path, told) for path, told in api.PATHS.items() if told[0] == "get"])
def test_answers_fit_their_description(client: TestClient, path: str, told: tuple[Any, ...]) -> None:
    answer = client.get(path.format(service="orders", incident="i-1"))
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    fields = set(msgspec.json.decode(answer.content))
    assert fields == {one.encode_name for one in msgspec.structs.fields(told[3])}
    msgspec.json.decode(answer.content, type=told[3], strict=True)


def test_values(client: TestClient) -> None:
    one = client.get(ORDERS).json()
    assert (one["verdict"], one["replicas"], one["goroutines"]) == ("leaking", 2, 1140 + 890)
    series = client.get(f"{ORDERS}/series").json()
    assert series["times"][-1] == (END - HOUR) // 1000
    assert series["total"]["goroutines"][-1] == 2030
    assert series["total"]["work_per_second"][-1] == 6
    assert [line["replica"] for line in series["replicas"]] == ["orders-1", "orders-2"] or len(series["replicas"]) == 2
    places = client.get(f"{ORDERS}/places").json()
    assert places["places"][0]["function"] == HUB
    assert places["places"][0]["values"][-1] == 70 * 26
    heap = client.get(f"{ORDERS}/places?kind=heap").json()
    assert heap["places"][0]["values"][-1] == 9 * 26 * (1 << 20)


def test_a_window(client: TestClient) -> None:
    start, end = (AT + 10 * HOUR) // 1000, (AT + 12 * HOUR) // 1000
    for query in (f"from={start}&to={end}", "from=2026-05-29T06:26:40Z&to=2026-05-29T08:26:40Z"):
        times = client.get(f"{ORDERS}/series?{query}").json()["times"]
        assert (times[0], times[-1], len(times)) == (start, end, 3)
    events = client.get(f"{ORDERS}/events?from={start}&to={end}").json()["items"]
    assert [one["kind"] for one in events] == ["oom-kill"]
    assert events[0]["text"] == "orders-2 was OOM-killed"
    for query in ("from=never", "to=99999999999999999999", "from=2026-13-45"):
        assert client.get(f"{ORDERS}/series?{query}").status_code == 400


@pytest.mark.parametrize("limit", [1, 2, 3])
@pytest.mark.parametrize("path", ["/api/v1/services", f"{ORDERS}/snapshots", "/api/v1/incidents"])
def test_pages_lead_through_everything(client: TestClient, path: str, limit: int) -> None:
    whole = [one["id"] for one in client.get(f"{path}?limit=500").json()["items"]]
    found: list[str] = []
    after = ""
    while True:
        answer = client.get(f"{path}?limit={limit}{after}").json()
        found += [one["id"] for one in answer["items"]]
        if answer["next"] is None:
            break
        after = f"&after={answer['next']}"
    assert found == whole
    assert len(set(found)) == len(found) > 1


def test_what_there_is_not(client: TestClient) -> None:
    for path in ("/api/v1/services/none", "/api/v1/incidents/none", "/api/v1/nothing"):
        answer = client.get(path)
        assert answer.status_code == 404
        told = msgspec.json.decode(answer.content, type=api.Failed, strict=True)
        assert told.error.status == 404


def test_grafana(client: TestClient) -> None:
    assert client.get("/api/v1/grafana/").status_code == 200
    names = client.post("/api/v1/grafana/metrics", json={}).json()
    assert {"label": "orders goroutines", "value": "orders goroutines"} in names
    query = {
        "range": {"from": "2026-05-28T20:26:40.000Z", "to": "2026-05-30T20:26:40.000Z"},
        "targets": [
            {"target": "orders goroutines", "refId": "A"},
            {"target": "x", "refId": "B", "payload": {"service": "pay", "measure": "heap_live"}},
            {"target": "none goroutines", "refId": "C", "payload": ""},  # as of a panel that has none
        ],
        "maxDataPoints": 100,
        "intervalMs": 1000,
    }
    found = client.post("/api/v1/grafana/query", json=query).json()
    assert [one["refId"] for one in found] == ["A", "B"]
    assert found[0]["datapoints"][-1] == [2030, (END - HOUR) // 1000]
    assert (
        client.post("/api/v1/grafana/query", content=b"{}", headers={"Content-Type": "text/plain"}).status_code == 400
    )
    assert client.post("/api/v1/grafana/query", json={"targets": 3}).status_code == 400
    assert (
        client.post("/api/v1/grafana/query", json=query, headers={"Origin": "http://evil.example"}).status_code == 403
    )
    assert client.post("/api/v1/grafana/query", json={"a": "b" * 70_000}).status_code == 413
