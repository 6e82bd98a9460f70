"""Whatever names evidence brings, a page shows them: no markup of theirs, no script, nothing invisible, nothing endless."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from hostile import EVIL, hostile
from oakum.report.json import document
from oakum.store import Batch, EventRow, FindingRow, IncidentRow, PlaceRow, RunRow, SnapshotRow, open_writer
from web_clients import client_of, send

MIB = 1 << 20
RIGHT_TO_LEFT, ESCAPE = "\u202e", "\x1b"
TAGS = frozenset(
    "html head meta title link script body a header nav ul ol li div main h1 h2 h3 h4 h5 h6 p span small code pre section details summary dl dt dd "
    "table thead tbody tr th td button input label form select option datalist figure figcaption svg line text polyline path circle rect "
    "title strong b br kbd dialog footer noscript time hr mark".split()
)  # fmt: skip
_SERVED = re.compile(r"/static/[\w-]+/[\w.-]+")


class _Inert(HTMLParser):
    """Fails for markup that is not ours."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.words: list[str] = []
        self.scripts = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS, tag
        facts = dict(attrs)
        for name, value in attrs:
            assert not name.startswith("on"), name
            assert name != "style"
            if name in ("href", "src", "action"):
                assert re.match(r"(?:/(?!/)|#|https://|data:,$)", value or ""), value
        if tag == "script":
            assert facts.get("type") == "application/json" or _SERVED.fullmatch(facts.get("src") or "")

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def inert(text: str, most: int = 3 * MIB) -> str:
    """Return what a page says; fail where something in it is not inert."""
    assert len(text) < most
    for unseen in (RIGHT_TO_LEFT, ESCAPE, "\x00", "\u2066", "\u200b"):
        assert unseen not in text
    said = "".join(_Inert(text).words)
    assert "Traceback" not in said
    return said


def filled(store: Path, name: str, service: str = EVIL) -> None:
    with open_writer(store) as writer:
        kept = writer.keep(json.dumps(document(hostile(name))).encode("utf-8", "backslashreplace"), "diagnosis.json")
        dump = f"goroutine 1 [{name[:200]}]:\n{name}(0x1)\n\t{name}:1 +0x1\n\n" * 3
        capture = writer.keep(dump.encode("utf-8", "backslashreplace"), f"{EVIL}.txt")
        runs = tuple(
            RunRow(run=run, service=service, replica=name, target=name, first_seen=1, program=name, version=name, go=name,
                   image=name, modules=(f"{name}@{name}", "k8s.io/apimachinery@v0.18.8"))
            for run in ("a", "b")
        )  # fmt: skip
        snapshots = tuple(
            SnapshotRow(run=run, service=service, at=at, goroutines=at, captures=(capture,) if at < 3 else ())
            for at, run in ((1, "a"), (2, "b"), (3, "a"), (4, "b"))
        )
        places = tuple(
            PlaceRow(run=run, service=service, at=at, place=name, function=name, file=name, line=1, state=name, kind="goroutines", count=at)
            for at, run in ((3, "a"), (4, "b"))
        )  # fmt: skip
        incident = IncidentRow(incident="i", service=service, state="open", opened_at=1, updated_at=2, verdict=name, mechanism=name,
                               function=name, file=name, line=1, replicas=(name,), page=kept, revision=1)  # fmt: skip
        alone = IncidentRow(incident="alone", service=service, state="flapping", opened_at=1, updated_at=2, mechanism=name, function=name, file=name, replicas=(name,), revision=1)  # fmt: skip
        findings = tuple(
            FindingRow(service=service, at=at, incident="i", finding=name, confidence=name, mechanism=name, function=name, document=kept)
            for at in (1, 2)
        )  # fmt: skip
        event = EventRow(service=service, at=1, kind="diagnosis", key=name, args=json.dumps({"verdict": name, "document": kept, "findings": name}))  # fmt: skip
        writer.append(
            Batch(runs=runs, snapshots=snapshots, places=places, incidents=(incident, alone), findings=findings, events=(event,))
        )  # fmt: skip


@pytest.fixture(
    scope="module", params=[EVIL, pytest.param(EVIL * 3 + "A" * MIB, marks=pytest.mark.slow)], ids=["markup", "endless"]
)
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    store = tmp_path_factory.mktemp("hostile") / "store"
    filled(store, request.param)
    with client_of(store) as found:
        yield found


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_pages_of_hostile_history(client: TestClient, lang: str) -> None:
    for address in ("/incidents/i", "/incidents/alone", "/known", "/known/kubernetes-98653", "/compare", "/upload"):
        answer = client.get(address, params={"lang": lang})
        assert answer.status_code == 200, address
        said = inert(answer.text)
        if address.startswith("/incidents"):
            assert "<img src=x" in said  # it is shown, as text
            assert r"\u202e" in said
            assert r"\x1b" in said


def test_evidence_and_its_links(client: TestClient) -> None:
    page = client.get("/incidents/i").text
    inert(client.get("/incidents/i", params={"at": "../../x"}).text)
    addresses = re.findall(r'href="(/diagnoses/[^"]+)"', page)
    assert addresses
    for address in addresses:
        answer = client.get(address)
        if address.endswith((".md", ".html", ".json")):
            assert answer.headers["content-disposition"].startswith("attachment")
            assert answer.headers["content-security-policy"] == "sandbox"


def test_snapshots_of_hostile_captures_and_places(client: TestClient) -> None:
    for before, after in ((1, 2), (3, 4)):  # from captures, from places
        answer = client.get("/compare", params={"before": f"{EVIL}@{before}", "after": f"{EVIL}@{after}"})
        assert answer.status_code == 200
        said = inert(answer.text)
        assert "<img src=x" in said


def test_the_text_of_a_capture(client: TestClient, tmp_path: Path) -> None:
    with open_writer(tmp_path / "store") as writer:
        digest = writer.keep(f"goroutine 1 [{EVIL}]:\n{'x' * 10 * MIB}{EVIL}\n{RIGHT_TO_LEFT}\n".encode(), EVIL)
    with client_of(tmp_path / "store") as found:
        answer = found.get(f"/evidence/{digest.removeprefix('sha256:')}", params={"goroutine": "1"})
        assert answer.status_code == 200
        assert "<img src=x" in inert(answer.text, 200_000)
        raw = found.get(f"/evidence/{digest.removeprefix('sha256:')}", params={"raw": "1"})
        name = re.fullmatch(r'attachment; filename="([A-Za-z0-9._-]+)"', raw.headers["content-disposition"])
        assert name is not None
        assert raw.headers["content-type"] == "application/octet-stream"


def test_uploads_of_hostile_dumps(tmp_path: Path) -> None:
    name = EVIL.replace("\n", "")
    stack = f"{name}({{0x1}})\n\t/srv/{name}.go:7 +0x1\ncreated by {name}\n\t/srv/{name}.go:3 +0x2\n"
    dump = "".join(f"goroutine {one} [chan send, 90 minutes]:\n{stack}\n" for one in range(1, 400)).encode()
    with client_of(tmp_path / "none") as client:
        answer = send(client, "/upload", [("files", (f"{EVIL}.txt", dump)), ("files", ("..", b"x"))])
        inert(answer.text)
        large = b"goroutine 1 [select]:\nmain." + b"f" * 10 * MIB + b"()\n\t/x/a.go:1 +0x1\n"
        inert(send(client, "/upload", [("files", ("large.txt", large * 2))]).text)
