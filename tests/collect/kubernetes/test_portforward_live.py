"""Port forwarding with the code that kubelets and container runtimes serve it with: profiles come through it whole."""

import os
import select
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from collect.kubernetes.recorded_api import TLS
from oakum.collect.kubernetes import targets
from oakum.collect.target import CaptureOptions, Plan, Target
from oakum.collect.web import Access
from oakum.report.words.lines import problem_line
from toolchain import DownloadFailed, download, environment, need_go

pytestmark = pytest.mark.live

PROGRAM = Path(__file__).with_name("forward")
OPTIONS = CaptureOptions(seconds=30.0)


@dataclass(frozen=True)
class Pod:
    """How the API server of the pod is entered, and ports of the pod's loopback: of pprof, and one that never answers."""

    kubeconfig: Path
    port: int
    mute: int

    def target(self, port: int | str = "") -> Target:
        word = f"kube://pod/shop/worker-0{':' if port else ''}{port}"
        (found,) = targets.open(word, Access(kubeconfig=str(self.kubeconfig)))
        return found

    def plan(self, port: int, options: CaptureOptions = OPTIONS) -> Plan:
        target = self.target(port)
        try:
            return target.plan(options)
        finally:
            target.close()


@pytest.fixture(scope="module")
def pod(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pod]:
    compiler = str(need_go("1.26"))  # the streaming code of 1.36 asks for it
    folder = tmp_path_factory.mktemp("forward")
    try:
        download([compiler, "mod", "download"], PROGRAM)
    except DownloadFailed as reason:
        pytest.skip(str(reason))
    built = [compiler, "build", "-mod=readonly", "-p", "1", "-o", str(folder / "forward"), "."]
    subprocess.run(built, cwd=PROGRAM, env=environment(), check=True, timeout=600)
    with subprocess.Popen(
        [folder / "forward", "token-of-the-test", TLS / "server.crt", TLS / "server.key"], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        try:
            assert select.select([process.stdout], [], [], 30)[0], "it does not say where it listens"
            address, port, mute = os.read(process.stdout.fileno(), 100).decode().split()
            content = {
                "clusters": [
                    {
                        "name": "c",
                        "cluster": {"server": f"https://{address}", "certificate-authority": str(TLS / "ca.crt")},
                    }
                ],
                "users": [{"name": "u", "user": {"token": "token-of-the-test"}}],
                "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
                "current-context": "c",
            }
            (folder / "kubeconfig").write_text(yaml.safe_dump(content), encoding="utf-8")
            yield Pod(folder / "kubeconfig", int(port), int(mute))
        finally:
            process.kill()


@pytest.mark.parametrize("port", ["", "pprof", "number"])
def test_profiles_come_through_a_forwarded_port(pod: Pod, port: str) -> None:
    target = pod.target(pod.port if port == "number" else port)
    try:
        plan = target.plan(OPTIONS)
        assert not plan.problems
        taken = {step.file: target.take(step, OPTIONS) for step in plan.steps}
    finally:
        target.close()
    assert not [problem for one in taken.values() for problem in one.problems]
    dump = taken["goroutine.debug2.txt"].capture
    assert dump is not None
    assert bytes(dump.data).count(b"main.waitForever(") == 5000
    assert len(dump.data) > 5000 * 150  # many frames; how many bytes depends on the path of the checkout
    heap = taken["heap.pb.gz"].capture
    assert heap is not None
    assert bytes(heap.data[:2]) == b"\x1f\x8b"


def test_port_where_nothing_listens(pod: Pod) -> None:
    plan = pod.plan(1)
    assert not plan.steps
    assert "nothing listens inside the pod" in "\n".join(problem_line(problem) for problem in plan.problems)


def test_port_that_never_answers(pod: Pod) -> None:
    began = time.monotonic()
    plan = pod.plan(pod.mute, CaptureOptions(seconds=2.0))
    assert time.monotonic() - began < 20
    said = "\n".join(problem_line(problem) for problem in plan.problems)
    assert "no answer within 2 s" in said
    assert "nothing listens inside the pod" not in said
