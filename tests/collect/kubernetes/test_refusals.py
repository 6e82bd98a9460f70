"""Refusals of API servers, kubelets and components -> the rule that is missing, ready to be granted."""

import json

import pytest
import yaml

from oakum.collect.kubernetes.refusals import Refusals, missing
from oakum.model import Text
from oakum.report.words.lines import worded


def status(message: str, code: int = 403, reason: str = "Forbidden") -> bytes:
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": code,
    }
    return json.dumps(body).encode()


NODE = 'nodes "n7" is forbidden: User "jane" cannot get resource "nodes/proxy" in API group "" at the cluster scope'
POD = (
    'pods "a" is forbidden: User "system:serviceaccount:ops:oakum" cannot get resource "pods/proxy" in API group "" '
    'in the namespace "shop"'
)
FORWARD = 'pods "a" is forbidden: User "jane" cannot create resource "pods/portforward" in API group "" in the namespace "shop"'
PATH = 'forbidden: User "jane" cannot get path "/debug/pprof/"'
KUBELET_OLD = "Forbidden (user=jane, verb=get, resource=nodes, subresource=proxy)"
KUBELET_NEW = "Forbidden (user=jane, verb=get, resource=nodes, subresource(s)=[configz proxy])"


@pytest.mark.parametrize(
    ("said", "line", "check"),
    [
        (
            NODE,
            '{apiGroups: [""], resources: ["nodes/proxy"], verbs: ["get"]}',
            "kubectl auth can-i get nodes --subresource=proxy",
        ),
        (
            POD,
            '{apiGroups: [""], resources: ["pods/proxy"], verbs: ["get"]}',
            "kubectl auth can-i get pods --subresource=proxy -n shop",
        ),
        (
            FORWARD,
            '{apiGroups: [""], resources: ["pods/portforward"], verbs: ["get", "create"]}',
            "kubectl auth can-i create pods --subresource=portforward -n shop",
        ),
        (
            PATH,
            '{nonResourceURLs: ["/debug/pprof", "/debug/pprof/*"], verbs: ["get"]}',
            "kubectl auth can-i get /debug/pprof/",
        ),
        (
            KUBELET_OLD,
            '{apiGroups: [""], resources: ["nodes/proxy"], verbs: ["get"]}',
            "kubectl auth can-i get nodes --subresource=proxy",
        ),
        (
            KUBELET_NEW,
            '{apiGroups: [""], resources: ["nodes/proxy"], verbs: ["get"]}',
            "kubectl auth can-i get nodes --subresource=proxy",
        ),
        (
            'pods is forbidden: User "jane" cannot list resource "pods" in API group "" at the cluster scope: requires one of',
            '{apiGroups: [""], resources: ["pods"], verbs: ["get", "list"]}',
            "kubectl auth can-i list pods",
        ),
    ],
)
def test_the_rule_that_is_missing(said: str, line: str, check: str) -> None:
    rule = missing(said)
    assert rule is not None
    assert (rule.line, rule.check) == (line, check)


def test_the_role_can_be_applied() -> None:
    refusals = Refusals(lambda: Text("kube.sent.option"))
    said = refusals.explain(403, "/debug/pprof/", status(NODE))
    assert said is not None
    assert "user jane may not get nodes/proxy" in worded(said)
    (advice,) = refusals.advice()
    first, lines = worded(advice).split("\n", 1)
    assert "running of commands in every container" in first  # what the right is worth
    role, binding = yaml.safe_load_all(lines)
    assert role["rules"] == [{"apiGroups": [""], "resources": ["nodes/proxy"], "verbs": ["get"]}]
    assert (role["kind"], binding["kind"], binding["roleRef"]["name"]) == (
        "ClusterRole",
        "ClusterRoleBinding",
        role["metadata"]["name"],
    )
    assert binding["subjects"] == [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "jane"}]
    assert refusals.advice() == ()


def test_a_service_account_in_a_namespace() -> None:
    refusals = Refusals(lambda: Text("kube.sent.option"))
    refusals.explain(403, "/", status(POD))
    role, binding = yaml.safe_load_all(worded(refusals.advice()[0]).split("\n", 1)[1])
    assert (role["kind"], role["metadata"]) == ("Role", {"name": "oakum-pods-proxy", "namespace": "shop"})
    assert binding["subjects"] == [{"kind": "ServiceAccount", "namespace": "ops", "name": "oakum"}]


def test_rights_of_one_place_are_one_role_and_no_more_than_needed() -> None:
    refusals = Refusals(lambda: Text("kube.sent.option"))
    metrics, other = PATH.replace("/debug/pprof/", "/metrics"), PATH.replace("/debug/pprof/", "/debug/flags/v")
    for said in (PATH, metrics, other, NODE, NODE.replace("nodes/proxy", "nodes/metrics")):
        refusals.explain(403, "/", status(said))
    role, _ = yaml.safe_load_all(worded(refusals.advice()[0]).split("\n", 1)[1])
    assert [rule.get("nonResourceURLs") or rule["resources"] for rule in role["rules"]] == [
        ["/debug/pprof", "/debug/pprof/*"],
        ["/metrics"],
        ["nodes/proxy"],
    ]


def test_a_name_that_would_break_the_yaml() -> None:
    refusals = Refusals(lambda: Text("kube.sent.option"))
    user = "a, name: cluster-admin}\\n- {kind: Group"
    refusals.explain(403, "/", status(f'User "{user}" cannot get path "/metrics"'))
    _, binding = yaml.safe_load_all(worded(refusals.advice()[0]).split("\n", 1)[1])
    assert binding["subjects"] == [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": user}]


def test_who_was_not_known() -> None:
    token = Text("kube.sent.token", {"user": "jane", "where": "context prod of /home/a/.kube/config"})
    sent = Text("kube.sent.ended", {"what": token, "end": "2026-11-16 08:00 UTC"})
    refusals = Refusals(lambda: sent)
    for body in (status("Unauthorized", 401, "Unauthorized"), b"Unauthorized\n"):
        said = refusals.explain(401, "/", body)
        assert said is not None
        assert "sent: the token of user jane (context prod of /home/a/.kube/config), which ran out" in worded(said)
        assert worded(said, "zh") == (
            "401，集群拒绝了凭据；发送的是：用户 jane 的 token（/home/a/.kube/config 的 context prod），"
            "已于 2026-11-16 08:00 UTC 过期"
        )


@pytest.mark.parametrize("body", [b"<html>login</html>", b"", b"[" * 100_000, b'{"kind": "Pod"}', b"\xff\xfe"])
def test_what_a_program_itself_says_is_left_to_others(body: bytes) -> None:
    refusals = Refusals(lambda: Text("kube.sent.option"))
    assert refusals.explain(403, "/", body) is None
    assert refusals.advice() == ()


def test_control_characters_are_not_shown() -> None:
    said = Refusals(lambda: Text("kube.sent.option")).explain(500, "/", status("a\x1b[31mb", 500))
    assert worded(said) == "500, a [31mb"
