"""A tree of profiles -> a ranking: planted leaks are found where they are and in order, nobody else is accused."""

import json
import os
import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

import made_fleet as made
from oakum.store import open_reader
from oakum.store.checking import check
from support import oakum

REPLICAS = "{service}/{replica}/{profile}-{time}.pb.gz"


def ingest(store: Path, *sources: Path, pattern: str | None = None) -> dict[str, Any]:
    told = oakum(
        "fleet",
        "ingest",
        "--store",
        str(store),
        *(["--pattern", pattern] if pattern else []),
        "--json",
        *map(str, sources),
    )
    assert told.code == 0, told.err
    found: dict[str, Any] = json.loads(told.out)
    return found


def ranked(store: Path) -> str:
    told = oakum("fleet", "rank", "--store", str(store), "--json")
    assert told.code == 0, told.err
    return told.out


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[made.Planted]]:
    root = tmp_path_factory.mktemp("fleet") / "profiles"
    return root, made.write(root, 12, 8, 24)


@pytest.fixture(scope="module")
def ranking(fleet: tuple[Path, list[made.Planted]], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    store = tmp_path_factory.mktemp("ranked") / "store"
    told = ingest(store, fleet[0])
    files = sum(1 for _ in fleet[0].rglob("*.pb.gz"))
    assert (told["added"], told["known"], told["aside"], told["services"]) == (files, 0, 0, 12)
    return store, ranked(store)


def test_planted_leaks_are_found_and_nobody_else_is_accused(
    fleet: tuple[Path, list[made.Planted]], ranking: tuple[Path, str]
) -> None:
    made.held_against(fleet[1], ranking[1])
    found = json.loads(ranking[1])
    order = [row["verdict"] for row in found["rows"]]
    assert order == sorted(order, key=["leaking", "undecided", "healthy"].index)
    lost = [row["bytes_per_hour"] for row in found["rows"] if row["verdict"] == "leaking"]
    assert lost == sorted(lost, reverse=True)
    assert all(lost)
    assert sum(row["diagnosed"] for row in found["rows"]) < len(order)  # what does not grow is not diagnosed
    assert not check(ranking[0]).problems


def test_the_order_in_which_profiles_come_changes_nothing(
    fleet: tuple[Path, list[made.Planted]], ranking: tuple[Path, str], tmp_path: Path
) -> None:
    files = sorted(fleet[0].rglob("*.pb.gz"))
    Random(7).shuffle(files)
    third = len(files) // 3
    for number, some in enumerate((files[: 2 * third], files[third:], files[:5])):  # a third of them twice
        for file in some:
            copy = tmp_path / str(number) / file.relative_to(fleet[0])
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, copy)
        told = ingest(tmp_path / "store", tmp_path / str(number))
        assert told["added"] + told["known"] == len(some)
        if number == 1:
            ranked(tmp_path / "store")  # diagnoses of less evidence lie beside those of more
    assert ranked(tmp_path / "store") == ranking[1]
    assert ranked(tmp_path / "store") == ranking[1]  # what was diagnosed is read back
    with open_reader(tmp_path / "store") as reader:
        rows = reader.query("SELECT captures FROM snapshots", ["snapshots"])["captures"]
    assert len(rows) == len(files)


def test_cut_files_are_set_aside_and_accuse_nobody(fleet: tuple[Path, list[made.Planted]], tmp_path: Path) -> None:
    root = tmp_path / "profiles"
    shutil.copytree(fleet[0], root)
    whole = {path: path.read_bytes() for path in sorted(root.rglob("*.pb.gz"))}
    chosen = list(whole)[::9]
    for number, path in enumerate(chosen):
        data = whole[path]
        path.write_bytes([data[: len(data) // 2], data[:-3], b"", b"<html>502 Bad Gateway</html>"][number % 4])
    (root / "svc-000" / "notes.txt").write_text("not a profile")
    told = ingest(tmp_path / "store", root)
    assert (told["added"], told["aside"]) == (len(whole) - len(chosen), len(chosen))
    assert {one["name"] for one in told["set_aside"]} == {path.relative_to(root).as_posix() for path in chosen}
    assert all(one["why"] for one in told["set_aside"])
    made.held_against(fleet[1], ranked(tmp_path / "store"))
    again = ingest(tmp_path / "store", root)
    assert (again["added"], again["known"], again["aside"]) == (0, len(whole), 0)
    rows = json.loads(ranked(tmp_path / "store"))["rows"]
    assert sum(row["set_aside"] for row in rows) == len(chosen)
    for path in chosen:  # the whole files come after all
        path.write_bytes(whole[path])
    assert ingest(tmp_path / "store", root)["added"] == len(chosen)


def test_replicas_are_compared(tmp_path: Path) -> None:
    truth = made.write(tmp_path / "profiles", 5, 4, 12, replicas=4)
    ingest(tmp_path / "store", tmp_path / "profiles", pattern=REPLICAS)
    text = ranked(tmp_path / "store")
    made.held_against(truth, text)
    rows = {row["service"]: row["replicas"] for row in json.loads(text)["rows"]}
    assert [(rows[one.service]["running"], rows[one.service]["leaking"], rows[one.service]["who"]) for one in truth] == [
        (4, 4, "all"), (4, 4, "all"), (4, 4, "all"), (4, 2, "some"), (4, 0, ""),
    ]  # fmt: skip


def test_one_of_many_and_one_zone(tmp_path: Path) -> None:
    chance = Random(3)
    for zone, replica, leaks in (("a", 0, 0), ("a", 1, 0), ("b", 2, 1), ("b", 3, 1)):
        folder = tmp_path / "profiles" / zone / "orders" / f"r{replica}"
        folder.mkdir(parents=True)
        for look in range(14):
            data = made.goroutines("orders", leaks * look * 6, chance, "b1", "shop.example/mail.send", 20)
            (folder / f"goroutine-{made.BEGIN + look * 600}.pb.gz").write_bytes(data)
    ingest(tmp_path / "store", tmp_path / "profiles", pattern="{zone}/" + REPLICAS)
    (row,) = json.loads(ranked(tmp_path / "store"))["rows"]
    assert (row["verdict"], row["place"]) == ("leaking", "shop.example/mail.send")
    assert row["replicas"] == {"running": 4, "leaking": 2, "who": "zone", "names": ["r2", "r3"], "zones": ["b"]}
    assert row["growth"] == pytest.approx(72, rel=0.05)


ODD = [
    "a b",
    "-x",
    "日本",
    "x'; DROP TABLE places; --",
    "=cmd()",
    "<b>&amp;",
    "..x",
    "%2e",
    'q"uote',
    "new\nline",
    "\x1b[31mred",
]


def test_services_with_odd_names(tmp_path: Path) -> None:
    chance = Random(5)
    names = [os.fsencode(name) for name in ODD] + [b"\xff\xfe"]
    for number, name in enumerate(names):
        folder = os.path.join(os.fsencode(tmp_path / "profiles"), name)  # noqa: PTH118 - bytes
        os.makedirs(folder)  # noqa: PTH103
        for look in range(10):
            lost = look * 5 if number % 2 else 0
            data = made.goroutines("odd", lost, chance, "b1", "odd.example/a.leak", 20)
            file = os.path.join(folder, f"goroutine-{made.BEGIN + look * 600}.pb.gz".encode())  # noqa: PTH118
            Path(os.fsdecode(file)).write_bytes(data)
    assert ingest(tmp_path / "store", tmp_path / "profiles")["services"] == len(names)
    rows = {row["service"]: row for row in json.loads(ranked(tmp_path / "store"))["rows"]}
    shown = [*ODD, "\\xff\\xfe"]
    assert set(rows) == set(shown)
    assert [rows[name]["verdict"] == "leaking" for name in shown] == [bool(number % 2) for number in range(len(shown))]
    told = oakum("fleet", "rank", "--store", str(tmp_path / "store"))
    assert "\x1b[31m" not in told.out
    csv = oakum("fleet", "rank", "--store", str(tmp_path / "store"), "--csv").out
    assert "\n'=cmd()," in csv
    page = tmp_path / "page.html"
    oakum("fleet", "rank", "--store", str(tmp_path / "store"), "-o", str(page))
    assert "<b>&amp;amp;" not in page.read_text()
    assert "&lt;b&gt;&amp;amp;" in page.read_text()


def test_explain_shows_the_diagnosis(ranking: tuple[Path, str], fleet: tuple[Path, list[made.Planted]]) -> None:
    store = str(ranking[0])
    told = oakum("fleet", "explain", "svc-000", "--store", store)
    assert told.code == 1
    assert "notify.(*Hub).publish.func1" in told.out
    assert "abandoned-sender" in told.out
    healthy = next(row["service"] for row in json.loads(ranking[1])["rows"] if not row["diagnosed"])
    assert oakum("fleet", "explain", healthy, "--store", store).code == 0
    missing = oakum("fleet", "explain", "nobody", "--store", store)
    assert missing.code == 4
    assert "svc-0" in missing.err


def test_the_store_is_that_of_the_watch(ranking: tuple[Path, str]) -> None:
    told = oakum("history", "svc-000", "--store", str(ranking[0]))
    assert told.code == 0
    assert "notify.(*Hub).publish.func1" in told.out
    assert "Diagnosed: " in told.out
    assert oakum("store", "check", str(ranking[0])).code == 0


def test_a_store_that_is_written_by_another_is_ranked_all_the_same(
    fleet: tuple[Path, list[made.Planted]], tmp_path: Path
) -> None:
    from oakum.store import open_writer

    ingest(tmp_path / "store", fleet[0] / "svc-000", pattern="{profile}-{time}.pb.gz")
    with open_writer(tmp_path / "store"):
        told = oakum("fleet", "rank", "--store", str(tmp_path / "store"), "--json")
    (row,) = json.loads(told.out)["rows"]
    assert (row["service"], row["verdict"]) == ("svc-000", "leaking")  # the name of the binary
    assert "not kept" in told.err


def test_what_fits_no_pattern_is_said(tmp_path: Path) -> None:
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "heap.out").write_bytes(b"x")
    told = oakum("fleet", "ingest", "--store", str(tmp_path / "store"), str(tmp_path / "profiles"))
    assert told.code == 4
    assert "heap.out" in told.err
    assert oakum("fleet", "ingest", "--store", str(tmp_path / "store"), str(tmp_path / "none")).code == 4
    assert oakum("fleet", "ingest", "--store", str(tmp_path / "store"), "--pattern", "{x}", str(tmp_path)).code == 2
    assert oakum("fleet", "rank", "--store", str(tmp_path / "none")).code == 4


def test_given_twice_at_once_and_nothing_at_all(fleet: tuple[Path, list[made.Planted]], tmp_path: Path) -> None:
    shutil.copytree(fleet[0] / "svc-001", tmp_path / "svc-001")
    (tmp_path / "svc-001" / "goroutine-1763547301.pb.gz").write_bytes(b"cut")
    told = ingest(tmp_path / "store", *[tmp_path / "svc-001"] * 2, pattern="{profile}-{time}.pb.gz")
    assert (told["known"], told["aside"]) == (told["added"] + 1, 1)
    (tmp_path / "empty").mkdir()
    assert ingest(tmp_path / "nothing", tmp_path / "empty")["added"] == 0
    assert json.loads(ranked(tmp_path / "nothing"))["rows"] == []


def test_files_that_are_none_are_not_opened(tmp_path: Path) -> None:
    folder = tmp_path / "profiles" / "orders"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "goroutine-1763547300.pb.gz")
    (folder / "goroutine-1763547301.pb.gz").symlink_to("/dev/zero")
    (folder / "goroutine-1763547302.pb.gz").mkdir()
    told = ingest(tmp_path / "store", tmp_path / "profiles")
    assert (told["added"], told["aside"]) == (0, 2)
