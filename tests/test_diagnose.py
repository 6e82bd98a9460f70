"""The whole line on small cases: what a diagnosis says, that it says it twice alike, and that no evidence breaks it."""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from goroutine_text import MAIN, MIDNIGHT, Story, crew, diagnosed, dump, goroutine, process, read, snapshot
from handmade import profile
from oakum.diagnose import diagnose
from oakum.model import Capture, Case, Diagnosis, Goroutines, Metrics, Process, Snapshot, Source, Text
from oakum.parse import parse
from oakum.report.json import document
from oakum.report.page.compose import compose
from oakum.report.terminal import Look, render

ASK = "main.(*Desk).ask"
SECONDS = 10.0  # CPU time that any evidence may take, however hostile; about 1 s here, a minute when it is quadratic


def _of(*processes: Process) -> Diagnosis:
    return diagnose(Case(processes))


def _printed(diagnosis: Diagnosis) -> str:
    return json.dumps(document(diagnosis), sort_keys=True)


@contextmanager
def _quickly() -> Iterator[None]:
    start = time.process_time()
    yield
    spent = time.process_time() - start
    assert spent < SECONDS, f"{spent:.1f} s"


def test_growth_of_three_a_step_is_three_a_step() -> None:
    story = Story(every=15)
    lost = story.crew("chan send", ASK)
    for step in range(20):
        if step:
            story.join(lost, 3)
        story.snapshot()
    said = story.diagnosed()
    (found,) = said.findings
    (growth,) = found.suspect.growth
    assert growth.measure == "goroutines"
    assert growth.counts == tuple(range(0, 60, 3))
    assert growth.per_hour == pytest.approx(12.0)  # three in a quarter of an hour
    assert growth.against == "past"


def test_the_same_evidence_gives_the_same_answer() -> None:
    def answer() -> str:
        story = Story()
        crews = [story.crew(state, f"main.f{state[:2]}") for state in ("chan send", "chan receive", "select")]
        for step in range(4):
            for one in crews:
                story.join(one, step + 2)
            story.snapshot()
        return _printed(story.diagnosed())

    assert answer() == answer()


@pytest.mark.parametrize(
    "state", ["chan send", "chan receive", "select", "sync.Mutex.Lock", "chan send (nil chan)", "IO wait"]
)
def test_one_snapshot_without_the_profile_proves_nothing(state: str) -> None:
    said = diagnosed(dump(MAIN, crew(range(20, 400), state, ASK, minutes=500)))
    assert said.findings
    assert {one.confidence for one in said.findings} <= {"likely", "possible"}


def test_silence_about_one_dump_is_no_pass() -> None:
    assert diagnosed(dump(MAIN)).verdict == "undecided"
    assert diagnosed(dump(MAIN), dump(MAIN)).verdict == "healthy"


def test_every_snapshot_is_listed_with_its_captures() -> None:
    story = Story()
    for _ in range(3):
        story.snapshot()
    said = story.diagnosed(baseline=[dump(MAIN)])
    assert [(row.label, row.baseline, len(row.inputs)) for row in said.moments] == [
        ("0", False, 1), ("1", False, 1), ("2", False, 1), ("0", True, 1),
    ]  # fmt: skip


def test_every_claim_points_at_a_capture_of_the_case() -> None:
    story = Story()
    lost = story.crew("chan send", ASK)
    for _ in range(4):
        story.join(lost, 4)
        story.snapshot()
    said = story.diagnosed()
    given = {digest for row in said.moments for digest in row.inputs}
    claims = [one for found in said.findings for one in found.suspect.evidence]
    assert claims
    assert {one.capture for one in claims} <= given
    assert all(one.where for one in claims if one.kind in ("steady-growth", "stuck"))
    assert any("goroutine " in one.excerpt for one in claims)


def test_progress_is_told() -> None:
    told: list[Text] = []
    diagnose(Case((process(dump(MAIN)),)), told.append)
    assert [one.key for one in told] == ["progress.comparing"]


# Hostile evidence: each gives an answer, within bounded time.


def _distinct(count: int) -> str:
    return "\n".join(
        f"goroutine {n} [chan send, {n % 90} minutes]:\nmain.f{n}(0xc{n:09x})\n\t/srv/a/f{n}.go:{n % 999 + 1} +0x1\n"
        f"created by main.g{n}\n\t/srv/a/g.go:2 +0x1\n"
        for n in range(1, count + 1)
    )


def _long_names() -> list[str | None]:
    name = "main." + "x" * 100_000
    return [
        dump(MAIN, crew(range(20, 20 + 5 * n), "chan send", name, f"main.(*{'T' * 100_000}).Run")) for n in range(3)
    ]


def _odd_ids() -> list[str | None]:
    numbers = [0, 7, 2**31, 2**62, 2**63 - 1, 2**63, 2**64, 10**40]
    odd = [goroutine(n, "chan send", ASK, minutes=5, parent=n) for n in numbers]
    minus = goroutine(8, "chan send", ASK).replace("goroutine 8", "goroutine -8")
    return [dump(MAIN, odd, minus), dump(MAIN, odd, minus, crew(range(50, 60), "chan send", ASK))]


def _same_ids() -> list[str | None]:
    twice = [*crew([20] * 30, "chan send", ASK, minutes=4), *crew([20] * 10, "select", "main.rest")]
    return [dump(MAIN, twice), dump(MAIN, twice, twice), dump(MAIN, MAIN, MAIN)]


def _old_ages() -> list[str | None]:
    ages = [2**31 - 1, 2**31, 2**32, 2**63, 10**30]
    return [dump(MAIN, [goroutine(20 + n, "chan send", ASK, minutes=age) for n, age in enumerate(ages)])] * 2


def _own_parents() -> list[str | None]:
    ring = [
        goroutine(20 + n, "sync.WaitGroup.Wait", ASK, by=ASK, parent=20 + (n + 1) % 50, minutes=9) for n in range(50)
    ]
    return [dump(MAIN, ring)] * 3


def _deep() -> list[str | None]:
    return [dump(MAIN, goroutine(20, "chan send", *[f"main.f{n % 7}" for n in range(20_000)], minutes=9))] * 2


def _one_lock() -> list[str | None]:
    lock = (
        "sync.(*Mutex).lockSlow(0xc000123450)@/usr/local/go/src/sync/mutex.go:171",
        "main.(*Ledger).add(0xc000123440)",
    )
    held = [goroutine(20 + n, "sync.Mutex.Lock", *lock, f"main.h{n}(0xc000123450)", minutes=9) for n in range(600)]
    return [dump(MAIN, held)] * 2


def _cut() -> list[str | None]:
    text = dump(MAIN, crew(range(20, 60), "chan send", ASK, minutes=4))
    return [text[:end] for end in (len(text), len(text) // 2, 60)]


def _nothing_at_the_ends() -> list[str | None]:
    text = dump(MAIN, crew(range(20, 60), "chan send", ASK, minutes=4))
    return [None, text, None, text, None]


HOSTILE: list[Callable[[], list[str | None]]] = [
    _long_names, _odd_ids, _same_ids, _old_ages, _own_parents, _deep, _one_lock, _cut, _nothing_at_the_ends,
]  # fmt: skip


@pytest.mark.parametrize("made", HOSTILE, ids=lambda made: made.__name__)
def test_no_dump_breaks_the_diagnosis(made: Callable[[], list[str | None]]) -> None:
    given = process(*made())
    with _quickly():
        said = _of(given)
    _say_everything(said)
    for snapshots in (given.snapshots[-1:], given.snapshots[::-1]):
        _say_everything(_of(replace(given, snapshots=snapshots)))


@pytest.mark.slow
def test_the_number_of_places_costs_no_more_than_its_share() -> None:
    """Every goroutine stuck at a place of its own: nothing may be compared with everything."""
    given = process(_distinct(2_000), _distinct(2_010))
    with _quickly():
        _say_everything(_of(given))


@pytest.mark.slow
def test_a_dump_of_two_hundred_thousand_places_is_diagnosed_in_time(tmp_path: Path) -> None:
    """Reading it takes most of the time: each is a group of its own."""
    path = tmp_path / "goroutine.txt"
    path.write_text(_distinct(200_000))
    done = subprocess.run(
        [sys.executable, "-m", "oakum", "diagnose", "--json", path],
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (120, 120)),
        check=False,
    )
    assert done.returncode in (1, 3), "killed after 120 s" if done.returncode < 0 else done.stderr.decode()


def _say_everything(said: Diagnosis) -> None:
    """Render a diagnosis in every form there is."""
    assert said.verdict in ("leaking", "healthy", "undecided")
    json.dumps(document(said))
    for lang in ("en", "zh"):
        render(compose(said, lang), Look(80, lang, lambda text, *_: text, str, len))


def _blind(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot as protobuf would have it: no ids, no creators, no ages."""
    assert snapshot.goroutines is not None
    groups = tuple(type(group)(group.stack, group.count, group.state) for group in snapshot.goroutines.groups)
    return replace(snapshot, goroutines=Goroutines(groups))


def _grown(every: int = 6) -> tuple[Snapshot, ...]:
    story = Story()
    lost = story.crew("chan send", ASK)
    rest = story.crew("select", "main.(*feed).run", aged=False)
    story.join(rest, 30)
    for _ in range(5):
        story.join(lost, every)
        story.snapshot()
    return tuple(snapshot(text, at) for at, text in enumerate(story.dumps))


@pytest.mark.parametrize("blind", [(0,), (4,), (0, 1), (3, 4), (1, 3), (0, 1, 2, 3, 4)])
def test_snapshots_may_differ_in_format(blind: tuple[int, ...]) -> None:
    snapshots = tuple(_blind(one) if at in blind else one for at, one in enumerate(_grown()))
    said = _of(Process("p1", "shop", snapshots))
    assert [one.suspect.sites[0].frame.function for one in said.findings] == [ASK]
    assert said.findings[0].suspect.growth[0].counts == (6, 12, 18, 24, 30)


@pytest.mark.parametrize("missing", [(0,), (4,), (1, 2), (0, 4), (0, 1, 2, 3)])
def test_snapshots_without_goroutines(missing: tuple[int, ...]) -> None:
    heap = profile([("make main", (1 << 20,))], ("inuse_space/bytes",))
    source = Source("heap.pb.gz", "sha256:" + "3" * 64, "pprof")
    snapshots = tuple(
        replace(one, goroutines=None, heap=heap, sources={"heap": source}) if at in missing else one
        for at, one in enumerate(_grown())
    )
    said = _of(Process("p1", "shop", snapshots))
    _say_everything(said)
    if len(missing) < 4:
        assert said.findings[0].suspect.sites[0].frame.function == ASK
        counts = said.findings[0].suspect.growth[0].counts
        assert [counts[at] for at in missing] == [None] * len(missing)


def test_no_snapshot_says_anything() -> None:
    said = _of(Process("p1", "shop", (snapshot(None), snapshot(None, 1))))
    assert said.findings == ()
    assert said.gaps


def test_two_processes_with_nothing_in_common() -> None:
    other = process(*[dump(MAIN, crew(range(5, 9), "IO wait", "example.org/x/y.(*T).read"))] * 2, name="p2")
    said = _of(Process("p1", "shop", _grown()), other)
    assert [site.process for site in said.findings[0].suspect.sites[:1]] == ["p1"]
    assert {row.process for row in said.moments} == {"p1", "p2"}


def test_a_baseline_of_another_program() -> None:
    stranger = dump(MAIN, crew(range(5, 90), "select", "example.org/x/y.(*T).loop"))
    said = _of(Process("p1", "shop", _grown(), (snapshot(stranger),)))
    assert said.verdict == "leaking"
    assert said.findings[0].suspect.sites[0].frame.function == ASK


def test_a_baseline_without_goroutines() -> None:
    said = _of(Process("p1", "shop", _grown(), (snapshot(None),)))
    assert said.findings[0].suspect.sites[0].frame.function == ASK


def test_snapshots_without_times() -> None:
    said = _of(Process("p1", "shop", tuple(replace(one, at=None) for one in _grown())))
    assert said.findings[0].suspect.growth[0].per_hour is None
    assert said.findings[0].suspect.growth[0].counts == (6, 12, 18, 24, 30)


def test_snapshots_at_one_time() -> None:
    said = _of(Process("p1", "shop", tuple(replace(one, at=MIDNIGHT) for one in _grown())))
    assert said.findings[0].suspect.growth[0].per_hour is None


def test_text_that_is_not_utf8() -> None:
    text = dump(MAIN, crew(range(20, 30), "chan send", "main.(*D\udcffesk).ask", minutes=5)).encode(
        "utf-8", "surrogateescape"
    )
    (reading,) = parse(Capture("x", text))
    assert reading.goroutines is not None
    said = _of(Process("p1", "shop", (replace(snapshot(dump(MAIN)), goroutines=reading.goroutines),)))
    _say_everything(said)


def test_spans_may_lie() -> None:
    """Goroutines whose text was not kept are told by their stacks."""
    found = read(dump(MAIN, crew(range(20, 30), "chan send", ASK, minutes=5)))
    said = _of(Process("p1", "shop", (replace(snapshot(dump(MAIN)), goroutines=replace(found, text=b"")),)))
    assert ASK in said.findings[0].suspect.evidence[0].excerpt


def test_what_the_kernel_tells_alone_says_nothing_of_health() -> None:
    small, sources = Metrics({("process_resident_memory_bytes", ()): 4e6}), {"status": Source("status.txt", "sha256:0")}
    snapshots = tuple(Snapshot(str(at), status=small, sources=sources) for at in range(2))
    assert _of(Process("p1", "bash", snapshots)).verdict == "undecided"
