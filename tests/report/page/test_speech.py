"""What a counter counts, told as people say it."""

import pytest

from oakum.report.page.speech import Speech


@pytest.mark.parametrize(
    ("metric", "english", "chinese"),
    [
        ("http_requests_total{code=202,path=/jobs}", "`/jobs` request", " `/jobs` 请求"),
        ("http_requests_total{method=POST,path=/jobs}", "`POST /jobs`", " `POST /jobs` "),
        ("http_requests_total{method=POST}", "`POST` request", " `POST` 请求"),
        ("apiserver_request_count{code=504}", "`504` response", " `504` 响应"),
        ("jobs_total{code=504}", "`jobs_total{code=504}`", " `jobs_total{code=504}` "),
        ("http_requests_total{code=200,app=x}", "`http_requests_total{code=200,app=x}`", " `http_requests_total{code=200,app=x}` "),
        ("http_requests_total", "`http_requests_total`", " `http_requests_total` "),
    ],
    ids=["path", "both", "method", "code", "no-request", "other-labels", "bare"],
)  # fmt: skip
def test_an_event_is_told_as_short_as_it_can_be(metric: str, english: str, chinese: str) -> None:
    assert Speech("en").event(metric) == english
    assert Speech("zh").event(metric) == chinese
