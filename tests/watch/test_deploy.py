"""deploy/: the unit is verified by systemd, manifests are parsed and grant only what collect uses, the container file is sound."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from oakum.watch.config import parse
from oakum.watch.discovery import named_tables
from support import ROOT, need_tool
from toolchain import DownloadFailed, download, environment, need_go

DEPLOY = ROOT / "deploy"
KUBERNETES = ROOT / "src" / "oakum" / "collect" / "kubernetes"


def manifests() -> list[dict[str, Any]]:
    return [one for one in yaml.safe_load_all((DEPLOY / "kubernetes" / "oakum-watch.yaml").read_text()) if one]


def of_kind(kind: str) -> dict[str, Any]:
    (found,) = [one for one in manifests() if one["kind"] == kind]
    return found


def test_the_role_grants_only_what_is_used() -> None:
    granted = {
        (resource, verb)
        for rule in of_kind("Role")["rules"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }
    assert granted == {("pods", "get"), ("pods", "list"), ("events", "list"), ("pods/proxy", "get")}
    asked = "\n".join(path.read_text() for path in KUBERNETES.glob("*.py"))
    for path in ("/pods/{name}", "/pods", "/events", "/proxy"):
        assert path in asked
    assert not [one for one in manifests() if one["kind"].startswith("ClusterRole")]


def test_who_may_forward_ports_may_nothing_else() -> None:
    """pods whose pprof listens on their loopback: what `create` and `get` of pods/portforward are for."""
    text = (DEPLOY / "kubernetes" / "oakum-watch-loopback.yaml").read_text()
    role, binding = yaml.safe_load_all(text)
    assert role["rules"] == [{"apiGroups": [""], "resources": ["pods/portforward"], "verbs": ["get", "create"]}]
    assert binding["roleRef"]["name"] == role["metadata"]["name"]
    assert binding["subjects"] == of_kind("RoleBinding")["subjects"]
    assert "/portforward" in (KUBERNETES / "forward.py").read_text()


@pytest.fixture(scope="module")
def strictly(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[int, str]]:
    """Lend what reads manifests as an API server with fieldValidation=Strict does: into the types of Kubernetes 1.36."""
    program = tmp_path_factory.mktemp("manifests") / "manifests"
    source = Path(__file__).with_name("manifests")
    compiler = str(need_go("1.26"))  # those types ask for it
    try:
        download([compiler, "mod", "download"], source)
    except DownloadFailed as reason:
        pytest.skip(str(reason))
    built = [compiler, "build", "-mod=readonly", "-p", "1", "-o", str(program), "."]
    subprocess.run(built, cwd=source, env=environment(), check=True, timeout=600)

    def read(text: str) -> tuple[int, str]:
        done = subprocess.run([program], input=text, capture_output=True, text=True, check=False, timeout=60)
        return done.returncode, done.stdout

    return read


@pytest.mark.live
def test_kubernetes_knows_every_field_of_the_manifests(strictly: Callable[[str], tuple[int, str]]) -> None:
    for path in (DEPLOY / "kubernetes").glob("*.yaml"):
        text = path.read_text()
        code, kinds = strictly(text)
        assert (code, kinds.split()) == (0, [one["kind"] for one in yaml.safe_load_all(text)]), kinds
        for wrong in (text.replace("metadata:", "metadat:", 1), text.replace("name: oakum", "nmae: oakum", 1)):
            assert strictly(wrong)[0] == 1
    whole = (DEPLOY / "kubernetes" / "oakum-watch.yaml").read_text()
    assert "livenessProb" in strictly(whole.replace("livenessProbe:", "livenessProb:"))[1]
    assert strictly(whole.replace("replicas: 1", "replicas: one"))[0] == 1


def test_the_deployment_is_one_watcher_with_few_rights() -> None:
    spec = of_kind("Deployment")["spec"]
    assert (spec["replicas"], spec["strategy"]["type"]) == (1, "Recreate")
    pod = spec["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
    }  # fmt: skip
    assert container["resources"]["limits"]["memory"]
    names = {volume["name"] for volume in pod["volumes"]}
    assert names == {mount["name"] for mount in container["volumeMounts"]}
    assert pod["serviceAccountName"] == of_kind("ServiceAccount")["metadata"]["name"]
    account = of_kind("RoleBinding")["subjects"][0]["name"]
    assert account == pod["serviceAccountName"]


def test_the_configurations_are_valid() -> None:
    config = parse(of_kind("ConfigMap")["data"]["watch.toml"].encode(), "watch.toml")
    assert named_tables(config)[0].word == "kube://pod"
    example = (DEPLOY / "watch.example.toml").read_text()
    assert parse(example.encode(), "watch.example.toml").targets
    # What is commented out is valid, too.
    whole = parse(re.sub(r"^#(?=\S)", "", example, flags=re.MULTILINE).encode(), "watch.example.toml")
    assert len(named_tables(whole)) == 3


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    analyze = need_tool("systemd-analyze", "systemd")
    unit = DEPLOY / "systemd" / "oakum-watch.service"
    copy = tmp_path / unit.name
    copy.write_text(unit.read_text())
    told = subprocess.run(
        [analyze, "verify", "--man=no", str(copy)], capture_output=True, text=True, check=False, timeout=60
    )
    complaints = [line for line in told.stderr.splitlines() if unit.name in line]
    assert not complaints, told.stderr


def hadolint(text: str) -> str:
    """Return what hadolint, which comes with the other Python packages, has against a container file."""
    command = Path(sys.executable).with_name("hadolint")
    done = subprocess.run(
        [command, "--no-color", "-"], input=text, capture_output=True, text=True, check=False, timeout=60
    )
    return done.stdout + done.stderr


def test_hadolint_has_nothing_against_the_container_file() -> None:
    text = (DEPLOY / "Containerfile").read_text()
    assert hadolint(text) == ""
    assert "DL3006" in hadolint(text.replace("python:3.13-slim", "python")), "no version"
    assert "DL3002" in hadolint(text.replace("USER 10001", "USER root"))
    assert "DL3025" in hadolint(text.replace('ENTRYPOINT ["/opt/oakum/bin/oakum"]', "ENTRYPOINT /opt/oakum/bin/oakum"))


@pytest.fixture
def steps() -> list[tuple[str, str]]:
    text = (DEPLOY / "Containerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines]


def test_the_container_file_keeps_what_hadolint_does_not_ask_for(steps: list[tuple[str, str]]) -> None:
    for name, rest in steps:
        assert name != "ADD", "nothing is downloaded beside the packages"
        assert "pip install" not in rest or "--no-cache-dir" in rest, "hadolint knows pip by its plain name only"
        assert not re.search(r"password|token|secret", rest, re.IGNORECASE)
    assert [rest for name, rest in steps if name == "USER"] == ["10001"], "as the manifest says"
    order = [name for name, _ in steps]
    assert order.index("USER") < order.index("ENTRYPOINT")
