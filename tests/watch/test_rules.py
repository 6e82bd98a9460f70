"""Rules and dashboard: what they ask for is exported, and promtool agrees."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from oakum.watch.exporter import METRICS
from support import ROOT, need_tool

DEPLOY = ROOT / "deploy"
RULES = DEPLOY / "prometheus" / "oakum.rules.yml"
DASHBOARD = json.loads((DEPLOY / "grafana" / "oakum-dashboard.json").read_text(encoding="utf-8"))
_NAME = re.compile(r"[a-zA-Z_:]*oakum[a-zA-Z0-9_:]*")


def rules() -> list[dict[str, str]]:
    return [rule for group in yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"] for rule in group["rules"]]


def expressions() -> list[str]:
    """Return every expression of the dashboard, as Grafana sends it."""
    asked = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
    return [
        one.replace("$service", ".*") for one in [*asked, *(one["expr"] for one in DASHBOARD["annotations"]["list"])]
    ]


def names(expression: str) -> set[str]:
    return set(_NAME.findall(re.sub(r'"[^"]*"', "", expression)))


def test_rules_and_dashboard_use_what_is_exported() -> None:
    recorded = {rule["record"] for rule in rules() if "record" in rule}
    for expression in [*(rule["expr"] for rule in rules()), *expressions()]:
        assert names(expression), expression
        assert names(expression) <= METRICS.keys() | recorded, expression


def test_every_metric_is_shown_or_watched() -> None:
    used = set().union(*(names(one) for one in [*(rule["expr"] for rule in rules()), *expressions()]))
    assert METRICS.keys() - used == set()


def test_panels_do_not_overlap() -> None:
    cells = [
        (x, y)
        for panel in DASHBOARD["panels"]
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])


def test_every_alert_has_a_severity_and_a_summary() -> None:
    for rule in rules():
        if "alert" in rule:
            assert rule["labels"]["severity"] in ("info", "warning", "critical")  # type: ignore[index]
            assert "summary" in rule["annotations"]


@pytest.mark.live
def test_promtool_accepts_rules_and_dashboard(tmp_path: Path) -> None:
    promtool = need_tool("promtool", "prometheus")
    shown = tmp_path / "dashboard.rules.yml"
    groups = [
        {"name": "dashboard", "rules": [{"record": f"panel:{at}", "expr": one} for at, one in enumerate(expressions())]}
    ]
    shown.write_text(yaml.safe_dump({"groups": groups}), encoding="utf-8")
    example = DEPLOY / "prometheus" / "prometheus.example.yml"
    for command in (["check", "rules", str(RULES), str(shown)], ["check", "config", str(example)]):
        done = subprocess.run([promtool, *command], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    done = subprocess.run(
        [promtool, "test", "rules", str(RULES.with_name("oakum.rules.test.yml"))],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.live
def test_amtool_accepts_the_example() -> None:
    amtool = need_tool("amtool", "prometheus-alertmanager")
    example = DEPLOY / "alertmanager" / "alertmanager.example.yml"
    done = subprocess.run(
        [amtool, "check-config", str(example)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
