"""What stands beside profiles: a scrape of /metrics, /proc/PID/status, `go version -m`."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakum.model import Capture, Reading
from oakum.parse import parse
from support import ROOT, oakum

TAKE = ROOT / "casebook" / "healthy-alertmanager" / "captures" / "healthy-go1.19-trimpath"
SCRAPE = """# HELP http_requests_total Requests.
# TYPE http_requests_total counter
http_requests_total{code="200",path="/quote/"} 40
http_requests_total{path="C:\\\\a \\"b\\",}",code="504"} 2 1700000000000
# TYPE go_goroutines gauge
go_goroutines 13
process_resident_memory_bytes 1.5e+07
latency_bucket{le="+Inf"} +Inf
"""
STATUS = "Name:\tkube-apiserver\nUmask:\t0022\nPid:\t812\nVmPeak:\t 1234 kB\nVmRSS:\t   15072 kB\nThreads:\t9\n"
BUILD = """/usr/bin/kubelet: go1.20.5
\tpath\tk8s.io/kubernetes/cmd/kubelet
\tmod\tk8s.io/kubernetes\t(devel)\t
\tdep\tk8s.io/apimachinery\tv0.0.0\t
\t=>\tk8s.io/apimachinery\tv0.27.3\th1:abc=
\tdep\tgolang.org/x/net\tv0.8.0\th1:def=
\tdep\texample.org/fork\tv1.0.0
\t=>\t./staging/fork\t(devel)\t
\tbuild\t-trimpath=true
/usr/bin/ctr: go1.26.8 X:nodwarf5
\tpath\tgithub.com/containerd/containerd/cmd/ctr
\tmod\tgithub.com/containerd/containerd\tv1.7.0\th1:x=
"""


def one(text: str) -> Reading:
    (reading,) = parse(Capture("x", text.encode()))
    return reading


def test_a_scrape() -> None:
    reading = one(SCRAPE)
    assert (reading.kind, reading.format, reading.usable, reading.problems) == ("metrics", "prometheus-text", False, ())
    metrics = reading.metrics
    assert metrics is not None
    assert metrics.total("go_goroutines") == 13
    assert metrics.total("http_requests_total") == 42
    assert metrics.by_labels("http_requests_total") == {
        (("code", "200"), ("path", "/quote/")): 40,
        (("code", "504"), ("path", 'C:\\a "b",}')): 2,
    }
    assert metrics.total("go_threads") is None


def test_a_scrape_without_types_is_told_by_go_s_own_metrics() -> None:
    assert one("app_jobs 4\ngo_goroutines 13\ngo_threads 8\n").kind == "metrics"
    assert one("main 12\nworker 3\n").kind == "unknown"


def test_lines_that_are_no_samples_are_counted() -> None:
    (problem,) = one(SCRAPE + 'bad{x="1} 3\n').problems
    assert (problem.key, problem.text.args) == ("unread-metrics", {"lines": 1})


def test_a_log_that_quotes_a_metric_is_none() -> None:
    assert one("I0101 scrape follows\n# TYPE go_goroutines gauge\ngo_goroutines 3\n").kind == "unknown"


def test_the_status_of_a_process() -> None:
    reading = one(STATUS)
    assert (reading.kind, reading.format, dict(reading.notes)) == (
        "metrics",
        "proc-status",
        {"process": "kube-apiserver"},
    )
    assert reading.metrics is not None
    assert reading.metrics.total("process_resident_memory_bytes") == 15072 * 1024
    assert reading.metrics.total("process_threads") == 9


def test_builds() -> None:
    kubelet, ctr = parse(Capture("x", BUILD.encode()))
    assert kubelet.build is not None
    assert ctr.build is not None
    assert (kubelet.go_version, ctr.go_version) == ("go1.20.5", "go1.26.8")
    assert (kubelet.build.path, kubelet.build.main_version) == ("k8s.io/kubernetes/cmd/kubelet", "(devel)")
    assert kubelet.build.modules == {
        "k8s.io/apimachinery": "v0.27.3", "golang.org/x/net": "v0.8.0", "example.org/fork": "(devel)",
    }  # fmt: skip
    assert kubelet.build.replaced == {
        "k8s.io/apimachinery": "k8s.io/apimachinery",
        "example.org/fork": "./staging/fork",
    }
    assert kubelet.build.settings == {"-trimpath": "true"}
    assert (ctr.build.main, ctr.build.modules) == ("github.com/containerd/containerd", {})


def test_recorded_scrapes_and_statuses_are_read_whole() -> None:
    for path in [*TAKE.glob("*/metrics.txt.gz"), *TAKE.glob("*/process.status.txt")]:
        (reading,) = parse(Capture(str(path), path.read_bytes()))
        assert reading.metrics is not None
        assert reading.metrics.total("process_resident_memory_bytes")
        assert reading.problems == ()
        if path.suffix == ".gz":
            lines = gzip.decompress(path.read_bytes()).decode().splitlines()
            assert len(reading.metrics) == sum(not line.startswith("#") for line in lines)


def test_views_pass_over_what_stands_beside() -> None:
    answer = oakum("goroutines", TAKE / "2-ramp")
    assert answer.code == 0
    assert "metrics.txt" not in answer.err
    refused = oakum("goroutines", TAKE / "2-ramp" / "metrics.txt.gz")
    assert refused.code == 4
    assert "metrics information, which no view shows" in refused.err


def test_inspect_tells_what_they_say() -> None:
    shown = oakum("inspect", TAKE / "2-ramp").out
    assert "metrics · prometheus-text · in gzip" in shown
    assert "metrics · proc-status · Linux" in shown


@given(st.text(max_size=300), st.sampled_from([SCRAPE, STATUS, BUILD]), st.integers(0, 600))
def test_nothing_raises(junk: str, text: str, at: int) -> None:
    assert parse(Capture("x", (text[:at] + junk + text[at:]).encode("utf-8", "surrogatepass")))


@pytest.mark.parametrize("text", [SCRAPE, STATUS, BUILD])
def test_cut_anywhere_still_gives_a_value(text: str) -> None:
    data = text.encode()
    for end in range(len(data)):
        assert parse(Capture("x", data[:end]))
