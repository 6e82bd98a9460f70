"""deploy/kubernetes/oakum-fleet.yaml: what it starts is what the command line takes, with no rights and no secrets."""

from typing import Any

import click
import yaml

from oakum.cli import verbs
from oakum.fleet.jobs import _WORKERS
from support import ROOT

MANIFESTS: list[dict[str, Any]] = [
    *yaml.safe_load_all((ROOT / "deploy" / "kubernetes" / "oakum-fleet.yaml").read_text(encoding="utf-8"))
]


def of_kind(kind: str) -> dict[str, Any]:
    (found,) = [one for one in MANIFESTS if one["kind"] == kind]
    return found


def pods() -> list[dict[str, Any]]:
    job = of_kind("CronJob")["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    return [of_kind("Deployment")["spec"]["template"]["spec"], job]


def test_it_grants_nothing_and_holds_no_secret() -> None:
    assert {one["kind"] for one in MANIFESTS} == {
        "ServiceAccount", "ConfigMap", "Deployment", "HorizontalPodAutoscaler", "CronJob",
    }  # fmt: skip
    assert not [name for name in of_kind("ConfigMap")["data"] if "SECRET" in name or "KEY" in name]
    for pod in pods():
        (container,) = pod["containers"]
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
        }  # fmt: skip
        assert container["resources"]["limits"]["memory"]
        names = {of_kind("ConfigMap")["metadata"]["name"]}
        assert {next(iter(one.values()))["name"] for one in container["envFrom"]} == names


def test_the_command_line_takes_what_it_starts() -> None:
    # A command keeps its first --help: as the command line has it.
    context = click.Context(verbs, info_name="oakum", help_option_names=["-h", "--help"])
    fleet = verbs.get_command(context, "fleet")
    assert isinstance(fleet, click.Group)
    for pod in pods():
        first, verb, *words = pod["containers"][0]["args"]
        assert first == "fleet"
        fleet.commands[verb].make_context(verb, words, parent=context)
    (metric, _) = of_kind("HorizontalPodAutoscaler")["spec"]["metrics"]
    assert metric["external"]["metric"]["selector"]["matchLabels"]["consumer_name"] == _WORKERS
