"""What answers carry: policies, and those of self-contained files."""

from starlette.testclient import TestClient

from diagnoses import rich
from oakum.report.html import render
from oakum.report.page.compose import compose
from oakum.web.security.headers import apart


def test_every_answer_has_the_policy(client: TestClient) -> None:
    for path in ("/", "/nothing", "/static/x/web.css"):
        headers = client.get(path).headers
        assert "script-src 'self';" in headers["content-security-policy"], path
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
    assert "cookie" not in client.get("/").headers


def test_a_report_runs_apart() -> None:
    policy = apart(render(compose(rich(), "en")))["Content-Security-Policy"]
    assert "script-src 'sha256-" in policy
    assert "sandbox allow-scripts" in policy
    assert "allow-same-origin" not in policy
    hostile = '<meta http-equiv="Content-Security-Policy" content="script-src *"><script>alert(1)</script>'
    assert "script" not in apart(hostile)["Content-Security-Policy"]
