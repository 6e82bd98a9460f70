"""Requests as people write them, and pasted lines of curl -> what is sent; what is not known is refused by its name."""

from pathlib import Path

import pytest

from oakum.experiment.requests import Request, parse_request, parse_requests
from oakum.model import UsageError


def test_a_method_and_a_path_are_a_request() -> None:
    assert parse_request("GET /orders?id=7") == Request("GET", "/orders?id=7")
    assert parse_request("delete /orders/7").method == "DELETE"


def test_a_body_stands_there_or_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "body.json").write_text('{"name": "x y"}')
    told = parse_request(f"POST /simulate @{tmp_path}/body.json")
    assert told.body == b'{"name": "x y"}'
    assert ("Content-Type", "application/json") in told.headers
    assert parse_request("PUT /flags a=b c").body == b"a=b c"


def test_a_path_goes_to_the_target_and_a_url_where_it_says() -> None:
    assert parse_request("GET /x").at("http://127.0.0.1:6060").url == "http://127.0.0.1:6060/x"
    assert parse_request("GET http://localhost:8080/x").at("http://127.0.0.1:6060").host == "localhost"
    with pytest.raises(UsageError, match="whole URL"):
        parse_request("GET /x").at("")


def test_each_may_have_its_number() -> None:
    told = parse_request('POST /jobs/{n} {"id": {n}}')
    assert told.numbered(7).url == "/jobs/7"
    assert told.numbered(7).body == b'{"id": 7}'


CURL = r"""curl -X POST 'http://localhost:8080/api/simulate?dry=1' \
  -H 'Content-Type: application/json' -H "X-Team: a" --compressed -sS \
  --data-raw '{"apps": ["@web"]}' -k -u user:secret"""


def test_a_line_of_curl_is_taken_as_it_was_pasted() -> None:
    told = parse_request(CURL)
    assert (told.method, told.url) == ("POST", "http://localhost:8080/api/simulate?dry=1")
    assert told.body == b'{"apps": ["@web"]}'
    assert ("X-Team", "a") in told.headers
    assert ("Authorization", "Basic dXNlcjpzZWNyZXQ=") in told.headers
    assert told.insecure
    assert told.shown == "POST /api/simulate"  # neither query nor password


@pytest.mark.parametrize(
    ("line", "method", "body", "kind"),
    [
        ("curl localhost:8080/x", "GET", b"", ""),
        ("curl -d a=1 -d b=2 http://localhost/x", "POST", b"a=1&b=2", "application/x-www-form-urlencoded"),
        ("curl --json '{}' http://localhost/x", "POST", b"{}", "application/json"),
        ("curl -XDELETE http://localhost/x", "DELETE", b"", ""),
        ("curl -I http://localhost/x", "HEAD", b"", ""),
        ("curl --request=PUT --url http://localhost/x", "PUT", b"", ""),
        ("curl -sSXPUT localhost/x", "PUT", b"", ""),
        ("curl -skX PATCH localhost/x --data-raw '@-x=1'", "PATCH", b"@-x=1", "application/x-www-form-urlencoded"),
        ("curl -H 'content-type: text/plain' --json 1 localhost/x", "POST", b"1", ""),
        ("curl --data-urlencode 'q=a b&c' localhost/x", "POST", b"q=a%20b%26c", "application/x-www-form-urlencoded"),
        (
            r"""curl localhost/x --data-raw $'--a=1\r\n\'it\u0021\ud83d\ude00'""",
            "POST",
            "--a=1\r\n'it!😀".encode(),
            "application/x-www-form-urlencoded",
        ),
    ],
)
def test_what_curl_would_send(line: str, method: str, body: bytes, kind: str) -> None:
    told = parse_request(line)
    assert (told.method, told.body) == (method, body)
    assert told.url.startswith("http://localhost")
    assert dict(told.headers).get("Content-Type", "") == kind


def test_a_query_a_user_and_letters_beyond_ascii_are_sent_as_curl_does(tmp_path: Path) -> None:
    told = parse_request("curl -G -d q=1 -d 'r=a b' 'http://me:p%40ss@localhost:8080/größe?x=1'")
    assert (told.method, told.body) == ("GET", b"")
    assert told.url == "http://localhost:8080/gr%C3%B6%C3%9Fe?x=1&q=1&r=a%20b"
    assert told.headers == (("Authorization", "Basic bWU6cEBzcw=="),)
    (tmp_path / "body.txt").write_bytes(b"a\r\nb\n")
    assert parse_request(f"curl -d @{tmp_path}/body.txt localhost").body == b"ab"
    assert parse_request(f"curl --data-binary @{tmp_path}/body.txt localhost").body == b"a\r\nb\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("curl http://localhost/x -H 'A: b\r\nEvil: x'", "no header that can be sent"),
        ("curl http://localhost/x -H 'A B: c'", "no header that can be sent"),
        ("curl http://localhost/x -X 'GET /y'", "no method"),
        ("curl http://localhost/x http://localhost/y", "two URLs"),
        ("curl -b cookies.txt http://localhost/x", "file of cookies"),
        ("curl -F a=@b http://localhost/x", "curl -F"),
        ("curl --cert x http://localhost/x", "--cert"),
        ("curl -X", "its value is missing"),
        ("curl -s", "no URL"),
        ("curl 'http://localhost", "quotation"),
        ("FETCH /x", "METHOD /path"),
        ("GET", "METHOD /path"),
        ("GET ftp://x/y", "path that begins with /"),
        ("GET http://localhost:99999999/y", "no URL"),
        ("POST /x @/nowhere/body.json", "No such file"),
    ],
)
def test_what_cannot_be_sent_is_said(line: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_request(line)


def test_a_list_is_sent_in_turn(tmp_path: Path) -> None:
    listed = tmp_path / "load.txt"
    listed.write_text("# the shop\nGET /orders\n\ncurl http://localhost:8080/x\n")
    assert [one.shown for one in parse_requests(str(listed))] == ["GET /orders", "GET /x"]
    listed.write_text("\n")
    with pytest.raises(UsageError, match="0 requests"):
        list(parse_requests(str(listed)))
