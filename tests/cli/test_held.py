"""Where the captures of a report are now: the words of its call, files that moved, changed or came; their names."""

import tarfile
from pathlib import Path

import pytest

from oakum.cli.held import Called, called, hold
from oakum.collect.files import gather
from oakum.model import Unreadable


def test_the_words_of_a_call() -> None:
    words = (
        "--baseline",
        "a",
        "--baseline",
        "b",
        "--binary",
        "go.mod",
        "--source",
        "s",
        "--no-compile",
        "c",
        "--source",
    )
    found = called(words)
    assert (found.baseline, found.binary, found.source) == (["a", "b"], ["go.mod"], ["s"])
    assert found.evidence == ["c", "--source"], "what follows evidence is evidence, whatever it looks like"
    assert (found.no_compile, found.fetch, found.no_source) == (True, False, False)
    assert found.words == ["c", "--source", "a", "b", "go.mod"]


@pytest.mark.parametrize("words", [(), ("--source", "s"), ("-",), ("--baseline", "-", "x"), ("unix:///run/x.sock",)])
def test_what_cannot_be_read_again(words: tuple[str, ...]) -> None:
    with pytest.raises(Unreadable):
        called(words)


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("case/1/heap", "case/2/heap", "case/2/metrics"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(name)
    return tmp_path


def rows(*words: str) -> list[dict[str, str]]:
    return [{"origin": one.origin, "digest": one.digest} for one in gather(words)]


def test_all_there(there: Path) -> None:
    held = hold(rows("case"), Called(["case"]), there, ())
    assert (held.missing, held.changed, held.extra, held.named) == ((), (), (), 3)
    assert held.roots == {"case": str(there / "case")}


def test_from_the_folder_of_the_report(there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = rows("case")
    (tmp_path / "x").mkdir()
    monkeypatch.chdir(tmp_path / "x")
    assert hold(before, Called(["case"]), there, ()).base == there
    assert hold(before, Called(["case"]), tmp_path / "x", ()).gone(["case"]) == {"case": 3}


def test_missing_changed_and_more(there: Path) -> None:
    before = rows("case")
    Path("case/1/heap").unlink()
    Path("case/2/heap").write_text("other")
    Path("case/2/new").write_text("new")
    held = hold(before, Called(["case"]), there, ())
    assert held.missing == ("case/1/heap",)
    assert [origin for origin, _, _ in held.changed] == ["case/2/heap"]
    assert held.extra == ("case/2/new",)


def test_moved_folders_are_found_by_what_is_in_them(there: Path) -> None:
    before = rows("case/1", "case/2")
    (there / "case/2").rename(there / "two")
    (there / "case/1").rename(there / "one")
    call = Called(["case/1", "case/2"])
    held = hold(before, call, there, ("two", "one"))
    assert held.roots == {"case/1": str(there / "one"), "case/2": str(there / "two")}
    assert (held.missing, held.changed, held.extra) == ((), (), ())
    Path("one/heap").write_text("other")
    assert [origin for origin, _, _ in hold(before, call, there, ("one", "two")).changed] == ["case/1/heap"]


def test_captures_have_the_names_of_the_report(there: Path, tmp_path: Path) -> None:
    before = rows("case")
    (there / "case").rename(there / "moved")
    held = hold(before, Called(["case"]), there, ("moved",))
    assert [capture.origin for capture in held.captures["case"]] == ["case/1/heap", "case/2/heap", "case/2/metrics"]
    assert held.captures["case"][0].data == b"case/1/heap"


def test_in_an_archive_too(there: Path) -> None:
    with tarfile.open("case.tar.gz", "w:gz") as archive:
        for name in ("1/heap", "2/heap", "2/metrics"):
            archive.add(there / "case" / name, name)
    before = rows("case.tar.gz/2")
    Path("case.tar.gz").rename("moved.tgz")
    held = hold(before, Called(["case.tar.gz/2"]), there, ("moved.tgz",))
    assert (held.missing, held.changed) == ((), ())
    assert [one.origin for one in held.captures["case.tar.gz/2"]] == ["case.tar.gz/2/heap", "case.tar.gz/2/metrics"]


def test_no_row_leads_out_of_its_folder(there: Path) -> None:
    (there / "secret").write_text("x")
    odd = [{"origin": "case/../../../secret", "digest": "sha256:1"}, {"origin": "case/../secret", "digest": "sha256:2"}]
    held = hold(odd, Called(["case"]), there, ())
    assert len(held.missing) == 2
    assert all("secret" not in capture.origin for found in held.captures.values() for capture in found)
