"""Stores of past profiles: exchanges with a real Parca and a real Pyroscope, replayed; and what is said of faults."""

import json
import re
from base64 import b64decode
from pathlib import Path

import pytest

from oakum.cli.case import case
from oakum.collect.history import parca, pyroscope
from oakum.collect.history.messages import framed, message
from oakum.collect.history.profiles import SNAPSHOTS, ProfilesTarget
from oakum.collect.target import CaptureOptions
from oakum.collect.web import Access
from oakum.diagnose import diagnose
from oakum.model import Unreachable, UsageError
from oakum.report.words.lines import error_line

from .servers import Answering, Reply, answering

RECORDED = Path(__file__).parent / "testdata"
OPEN = {"parca": parca.open, "pyroscope": pyroscope.open}
MATCH = {"parca": "job=packages", "pyroscope": "service_name=packages"}


def replayed(name: str) -> Answering:
    """Return a server that answers as the real one did; of questions that name a time, by what else they say."""
    exchanges = json.loads((RECORDED / f"{name}.json").read_text())

    def reply(path: str, body: bytes) -> Reply:
        same = [one for one in exchanges if one["path"] == path]
        exact = [one for one in same if b64decode(one["asked"]) == body]
        alike = [one for one in same if words(b64decode(one["asked"])) == words(body)]
        found = next(iter(exact or alike), None)
        return (200, found["type"], b64decode(found["answer"])) if found else (404, "text/plain", b"")

    return reply


def words(body: bytes) -> list[bytes]:
    return re.findall(rb"[ -~]{6,}", body)


def opened(name: str, base: str) -> ProfilesTarget:
    (target,) = OPEN[name](f"{name}+{base}?match={MATCH[name]}&last=10m", Access())
    return target


@pytest.mark.parametrize("name", ["parca", "pyroscope"])
def test_past_profiles_are_snapshots_that_are_diagnosed(name: str, tmp_path: Path) -> None:
    with answering(replayed(name)) as base:
        target = opened(name, base)
        plan = target.plan(CaptureOptions())
        for step in plan.steps:
            got = target.take(step, CaptureOptions())
            assert not got.problems
            assert got.capture is not None
            place = tmp_path / step.file
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(got.capture.data)
        target.close()
    assert target.name == "packages-127.0.0.1:16060"
    assert target.address.startswith(f"{name}+{base}?match={{")
    assert plan.once
    assert not plan.problems
    assert len({step.file.partition("/")[0] for step in plan.steps}) == SNAPSHOTS
    assert all(step.at is not None for step in plan.steps)
    told = diagnose(case([str(tmp_path)]))
    assert len(told.moments) == SNAPSHOTS
    finding = told.findings[0]
    assert (finding.mechanism, finding.confidence) == ("abandoned-sender", "likely")
    assert finding.suspect.sites[0].frame.function == "main.deliver"
    counts = [number or 0 for number in finding.suspect.growth[0].counts]
    assert counts == sorted(counts)
    assert counts[-1] > counts[0], "each snapshot is one profile, and no sum of several"
    assert any(one.suspect.sites[0].frame.function == "main.work" for one in told.findings), "its heap grows too"


def grpc(message_: bytes = b"", status: str = "0", said: str = "") -> Reply:
    trailers = f"grpc-status:{status}\r\ngrpc-message:{said}\r\n".encode()
    body = framed(message_) + b"\x80" + len(trailers).to_bytes(4, "big") + trailers
    return 200, "application/grpc-web+proto", body


GOROUTINES = message((1, "goroutine"), (2, "goroutine"), (3, "count"), (4, "goroutine"), (5, "count"))


def test_nobody_named_and_nothing_that_fits_are_told_what_there_is() -> None:
    def reply(path: str, body: bytes) -> Reply:
        if path.endswith("/ProfileTypes"):
            return grpc(message((1, GOROUTINES)))
        if path.endswith("/Values"):
            return grpc(message((1, "orders"), (1, "billing"))) if b"job" in body else grpc()
        return grpc(status="5", said="No data found for the query")

    with answering(reply) as base:
        with pytest.raises(UsageError, match="match= says which process: job is billing, orders"):
            parca.open(f"parca+{base}", Access())
        with pytest.raises(UsageError, match=r"no profile fits match=\{job=\"x\"\} in the last 6h.*job is billing"):
            parca.open(f"parca+{base}?match=job=x", Access())


@pytest.mark.parametrize(
    ("name", "reply", "said"),
    [
        ("parca", grpc(status="3", said="failed%20to parse query"), "Parca says: failed to parse query"),
        ("parca", (404, "text/plain", b"404 page not found"), "no Parca answers there"),
        ("parca", (200, "text/html", b"<html><title>Sign in</title></html>"), "this is no Parca"),
        ("parca", (200, "application/grpc-web+proto", b"\0\0\0\1"), "its answer cannot be read"),
        ("parca", (200, "application/grpc-web+proto", b"\0\xff\xff\xff\xffabc"), "its answer cannot be read"),
        ("pyroscope", (404, "text/plain", b"404 page not found"), "no Pyroscope of 1.0 or later"),
        ("pyroscope", (200, "text/html", b"<html><title>Sign in</title></html>"), "this is no Pyroscope"),
        ("pyroscope", (401, "application/json", b'{"code":"unauthenticated","message":"no org id"}'), "X-Scope-OrgID"),
        (
            "pyroscope",
            (500, "application/json", b'{"code":"internal","message":"{\\"message\\":\\"parse error\\"}"}'),
            "500: Pyroscope says: parse error",
        ),
    ],
)
def test_what_is_refused_is_said_in_words(name: str, reply: Reply, said: str) -> None:
    with answering(lambda path, body: reply) as base, pytest.raises(Unreachable) as told:
        opened(name, base)
    assert said in error_line(told.value)


def test_an_answer_of_noise_is_no_profile_and_no_failure() -> None:
    with (
        answering(lambda path, body: (200, "application/proto", b"\xff" * 5000)) as base,
        pytest.raises(UsageError, match="neither goroutines nor heap profiles"),
    ):
        opened("pyroscope", base)


def test_a_store_that_ends_between_plan_and_take_loses_nothing() -> None:
    with answering(replayed("parca")) as base:
        target = opened("parca", base)
        steps = target.plan(CaptureOptions()).steps
        assert target.take(steps[0], CaptureOptions()).capture is not None
        target.close()
    got = target.take(steps[1], CaptureOptions(seconds=5.0))
    assert got.capture is None
    assert [problem.key for problem in got.problems] == ["unreachable"]
    plan = target.plan(CaptureOptions(seconds=5.0))
    assert not plan.steps
    assert plan.problems[0].key == "unreachable"


def test_processes_that_nobody_can_tell_apart_are_a_doubt_told_once() -> None:
    kind = message((1, "goroutine:goroutine:count:goroutine:count"), (4, "goroutine"), (5, "count"))

    def reply(path: str, body: bytes) -> Reply:
        stamps = range(1_700_000_000_000, 1_700_000_060_000, 1000)
        points = message(*((2, message((1, 1.0), (2, stamp))) for stamp in stamps))
        said = {"ProfileTypes": message((1, kind)), "SelectSeries": message((1, points)), "SelectMergeProfile": b"x"}
        return 200, "application/proto", said.get(path.rpartition("/")[2], b"")

    with answering(reply) as base:
        target = opened("pyroscope", base)
        steps = target.plan(CaptureOptions()).steps
        told = [target.take(step, CaptureOptions()).problems for step in steps]
        target.close()
    assert str(target.match) == '{service_name="packages"}', "what was asked for stays, where no label says more"
    assert target.name == "packages"
    assert len(steps) == SNAPSHOTS
    assert [problem.key for problems in told for problem in problems] == ["doubtful"]
