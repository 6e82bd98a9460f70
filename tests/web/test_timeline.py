"""Charts of replicas that are not looked at together: what one had meanwhile, what ended, what came last."""

from pathlib import Path

import pytest

from oakum import history
from oakum.store import Batch, PlaceRow, RunRow, SnapshotRow, open_reader, open_writer
from oakum.store.reader import Reader
from oakum.web.timeline import Window, course, place_courses
from web_clients import client_of

AT = 1_790_000_000_000_123  # not a whole millisecond, as clocks are
SECOND = 1_000_000
# A leader that is looked at five times, then once after a pause; a standby that is looked at just before; one that ended.
LEADER = {0: 100, 10: 200, 20: 300, 30: 400, 110: 400}
STANDBY = {8: 10, 28: 10, 58: 10, 88: 10, 108: 10}
GONE = {0: 1000, 10: 1000, 20: 1000}
LAST = AT + 110 * SECOND


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("timeline") / "store"
    with open_writer(directory) as writer:
        for run, looks in (("leader", LEADER), ("standby", STANDBY), ("gone", GONE)):
            rows = [(AT + second * SECOND, count) for second, count in looks.items()]
            writer.append(
                Batch(
                    snapshots=tuple(
                        SnapshotRow(run=run, service="s", at=at, goroutines=count, limit_bytes=1 << 30 if count < 300 else 2 << 30,
                                    work=(at - AT) / SECOND * 7)
                        for at, count in rows
                    ),
                    places=tuple(
                        PlaceRow(run=run, service="s", at=at, place="p", function="f", file="f.go", line=1, kind="goroutines", count=count)
                        for at, count in rows
                    ),
                )
            )  # fmt: skip
    return directory


def totals(reader: Reader, points: int) -> dict[float, float | None]:
    found = course(reader, "s", Window(AT, LAST), points)
    return {(at - AT) / SECOND: value for at, value in zip(found.times, found.totals["goroutines"], strict=True)}


def test_a_replica_is_there_between_its_looks(store: Path) -> None:
    with open_reader(store) as reader:
        told = totals(reader, 300)
        assert told[28] == 380 + 10 + 1000  # on the line between 300 and 400; `gone` may still be looked at
        assert told[58] == told[88] == told[108] == 400 + 10  # nobody looked at the leader for eighty seconds
        assert told[110] == 400 + 10
        (place,) = place_courses(reader, "s", Window(AT, LAST))["goroutines"].places
        assert place.values == list(told.values())


def test_work_and_limits_are_not_on_a_line(store: Path) -> None:
    with open_reader(store) as reader:
        found = course(reader, "s", Window(AT, LAST), 300)
        leader = next(one for one in found.replicas if one.run == "leader")
        seconds = [(at - AT) / SECOND for at in found.times]
        told = dict(zip(seconds, leader.values["limit_bytes"], strict=True))
        assert (told[8], told[10], told[28]) == (1 << 30, 1 << 30, 2 << 30)
        assert set(leader.values["work_per_second"]) == {None, 7.0}
        assert found.totals["work_per_second"][-1] == 14.0


@pytest.mark.parametrize("points", [2, 3])
def test_one_slot_has_what_all_replicas_had(store: Path, points: int) -> None:
    with open_reader(store) as reader:
        assert list(totals(reader, points).values())[-1] == 410


def test_charts_end_with_the_newest_snapshot(store: Path) -> None:
    with client_of(store) as client:
        page = client.get("/services/s").text
        end = int(page.partition('data-to="')[2].partition('"')[0])
        begin = int(page.partition('data-from="')[2].partition('"')[0])
        told = client.get(f"/api/v1/services/s/series?from={begin}&to={end}").json()
        assert told["times"][-1] == LAST // 1000
        assert told["total"]["goroutines"][-1] == 410
        assert (
            client.get("/api/v1/services/s/series").json()["total"]["goroutines"][0] == 1100
        )  # its time alone is parted


def test_a_replica_that_runs_anew_is_there_once(tmp_path: Path) -> None:
    hour = 3600 * SECOND
    looks = {"first": range(5), "second": range(5, 9)}
    with open_writer(tmp_path / "store") as writer:
        for run, hours in looks.items():
            rows = tuple(
                SnapshotRow(run=run, service="s", at=AT + at * hour, goroutines=100 + at, work=at * 10.0)
                for at in hours
            )
            told = RunRow(run=run, service="s", replica="s-1", first_seen=rows[0].at)
            writer.append(Batch(runs=(told,), snapshots=rows))
    with open_reader(tmp_path / "store") as reader:
        found = course(reader, "s", Window(AT, AT + 8 * hour))
        assert found.totals["goroutines"] == [100.0 + at for at in range(9)]


def test_a_line_in_the_list_has_no_holes(store: Path) -> None:
    with open_reader(store) as reader:
        (one,) = history.services(reader, None, 7 * history.DAY)
        assert one.goroutines.points[0] == 1100
        assert one.goroutines.points[-1] == 1410  # what was not seen for a minute may still run
        assert None not in one.goroutines.points
