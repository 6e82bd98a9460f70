"""Modules that are taken out of a larger one: they are what go.sum says, and nothing else is put into the module cache."""

import base64
import hashlib
import json
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from casebook.runner.case import BadCase, Staging, load
from casebook.runner.staging import StagingFailed, provide
from toolchain import DownloadFailed, environment, need_go

HALF = Staging(
    "example.org/whole@v1.2.3", "staging/src", ("example.org/Half", "example.org/other"), "v0.0.0-whole-1.2.3"
)
CODE = b"package half\n"
TABLE = """title = "Quotes"
service = "quotes"
[[phase]]
moment = "before"
seconds = 1
[[build]]
name = "leaking"
[[staging]]
inside = "example.org/whole@v1.2.3"
folder = "staging/src/"
modules = ["example.org/Half", "example.org/other"]
version = "v0.0.0-whole-1.2.3"
"""


def test_case_toml_says_what_is_staged(tmp_path: Path) -> None:
    (tmp_path / "case.toml").write_text(TABLE)
    assert load(tmp_path).staging == (HALF,)


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [('version = "v0.0.0-whole-1.2.3"', "", "version is missing"), ("inside", "outside", "unknown key outside")],
)
def test_a_staging_that_is_not_whole_is_refused(tmp_path: Path, right: str, wrong: str, told: str) -> None:
    (tmp_path / "case.toml").write_text(TABLE.replace(right, wrong))
    with pytest.raises(BadCase, match=told):
        load(tmp_path)


def summed(files: dict[str, bytes]) -> str:
    """Return the sum of files as go.sum has it."""
    lines = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items()))
    return f"h1:{base64.b64encode(hashlib.sha256(lines.encode()).digest()).decode()}"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return an empty module cache behind a proxy that has the larger module alone; no checksum database answers."""
    inside = "example.org/whole@v1.2.3/"
    files = {f"{inside}go.mod": b"module example.org/whole\n", f"{inside}staging/src/example.org/Half/half.go": CODE,
             f"{inside}staging/src/example.org/Halfway/way.go": b"package way\n"}  # fmt: skip
    served = tmp_path / "proxy" / "example.org" / "whole" / "@v"
    served.mkdir(parents=True)
    (served / "v1.2.3.mod").write_bytes(files[f"{inside}go.mod"])
    (served / "v1.2.3.info").write_text(json.dumps({"Version": "v1.2.3", "Time": "2018-12-13T04:05:24Z"}))
    with zipfile.ZipFile(served / "v1.2.3.zip", "w") as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    (tmp_path / "go.mod").write_text("module example.org/quotes\n\nrequire example.org/Half v0.0.0-whole-1.2.3\n")
    (tmp_path / "go.sum").write_text(
        f"example.org/Half v0.0.0-whole-1.2.3 {summed({'example.org/Half@v0.0.0-whole-1.2.3/half.go': CODE})}\n"
        f"example.org/Half v0.0.0-whole-1.2.3/go.mod {summed({'go.mod': b'module example.org/Half' + bytes([10])})}\n"
        f"example.org/whole v1.2.3 {summed(files)}\n"
        f"example.org/whole v1.2.3/go.mod {summed({'go.mod': files[f'{inside}go.mod']})}\n"
    )
    home = tmp_path / "cache"
    monkeypatch.setenv("GOPROXY", (tmp_path / "proxy").as_uri())
    monkeypatch.setenv("GOMODCACHE", str(home))
    monkeypatch.setenv("GOSUMDB", "sums.example.org")  # asked, it would be an error
    yield home
    for path in home.rglob("*"):
        path.chmod(path.stat().st_mode | stat.S_IWUSR)


@pytest.mark.live
def test_a_folder_becomes_a_module(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    provide((HALF,), tmp_path / "go.mod", need_go(), environment())
    (made,) = (cache / "example.org").glob("!half@*")
    assert made.name == "!half@v0.0.0-whole-1.2.3"
    assert {path.name: path.read_bytes() for path in made.iterdir()} == {"half.go": CODE}
    monkeypatch.setenv("GOPROXY", "off")
    provide((HALF,), tmp_path / "go.mod", need_go(), environment())  # it is there


@pytest.mark.live
def test_what_no_build_requires_is_not_downloaded(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module example.org/quotes\n\nrequire example.org/Half v1.0.0\n")
    provide((HALF,), tmp_path / "go.mod", need_go(), environment())
    assert not (cache / "example.org").exists()


@pytest.mark.live
def test_what_is_not_what_go_sum_says_is_refused(cache: Path, tmp_path: Path) -> None:
    sums = (tmp_path / "go.sum").read_text()
    (tmp_path / "go.sum").write_text(sums.replace(sums.split()[2], "h1:" + "A" * 43 + "=", 1))
    with pytest.raises(StagingFailed, match="checksum mismatch"):
        provide((HALF,), tmp_path / "go.mod", need_go(), environment())


@pytest.mark.live
def test_a_proxy_that_does_not_answer_is_a_failed_download(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOPROXY", "http://127.0.0.1:9")
    with pytest.raises(DownloadFailed, match="download failed three times"):
        provide((HALF,), tmp_path / "go.mod", need_go(), environment())
