"""A gigabyte of log, and a thousand series of a day, within their time and memory."""

import json
import random
import subprocess
import sys
from itertools import accumulate
from pathlib import Path
from time import process_time

import pytest

from oakum.compare.signals.courses import signals
from oakum.model import Capture
from oakum.pipeline.case import assemble_case, input_of

pytestmark = pytest.mark.slow

# CPU seconds: other work on the machine does not count.
_READ = """
import mmap, sys
from time import process_time
from oakum.model import Capture
from oakum.parse import parse
with open(sys.argv[1], "rb") as file:
    data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
capture = Capture("api.log", data)
(reading,) = parse(capture)
capture.digest
tally = next(one for one in reading.log.tallies if one.kind == "time-out")
# ru_maxrss begins with that of whoever started it.
peak = int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) >> 10
print(process_time(), peak, tally.total)
"""


def test_a_gigabyte_of_log_takes_fifteen_seconds_and_300_mb(tmp_path: Path) -> None:
    chance = random.Random(1)
    lines = []
    for at in range(40_000):
        bad = chance.random() < 0.03
        code, agent = (504, "platform-admin/2.3") if bad else (200, f"kubelet/v1.12.{at % 9}")
        stamp = f"1116 {at // 3600 % 24:02}:{at // 60 % 60:02}:{at % 60:02}.123456"
        lines.append(
            f"I{stamp} 30265 wrap.go:42] GET /api/v1/pods/web-{at}: (5ms) {code} [[{agent}] 10.1.0.7:4{at:05}]\n"
        )
    block = "".join(lines).encode()
    path = tmp_path / "api.log"
    times = -(-(1 << 30) // len(block))
    with path.open("wb") as file:
        for _ in range(times):
            file.write(block)
    done = subprocess.run([sys.executable, "-c", _READ, str(path)], capture_output=True, text=True, check=True)
    seconds, megabytes, total = (float(word) for word in done.stdout.split())
    assert seconds < 15
    assert megabytes < 300
    assert total == pytest.approx(times * block.count(b" 504 "), rel=0.01)


def test_a_thousand_series_of_a_day_take_ten_seconds() -> None:
    chance = random.Random(2)
    times = [1_700_000_000 + 15 * at for at in range(5760)]
    rows: list[object] = []
    for at in range(1000):
        values = [*accumulate(chance.randint(0, at % 7 + 1) for _ in times)]
        labels = {"job": f"svc{at % 10}", "instance": f"10.0.0.{at % 10}:80", "path": f"/r{at}"}
        labels["__name__"] = "go_goroutines" if at == 500 else "http_requests_total"
        rows.append(
            {
                "metric": labels,
                "values": [[t, str(v)] for t, v in zip(times, values, strict=True)],
            }
        )
    data = json.dumps({"status": "success", "data": {"resultType": "matrix", "result": rows}}).encode()
    began = process_time()
    case = assemble_case([input_of(Capture("metrics.json", data))]).case
    found = signals(case.processes, case.series)
    assert process_time() - began < 10
    assert len(case.series) == 1000
    assert [one.drivers for one in found] == [()], "it grows by itself"
