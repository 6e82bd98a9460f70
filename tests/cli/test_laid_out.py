"""Where the captures of a report are now: the words of its call, files that moved, changed or came, and links to them."""

from pathlib import Path

import pytest

from oakum.cli.laid_out import Called, called, hold, lay_out
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
    assert (held.missing, held.changed, held.extra, held.captures) == ((), (), (), 3)
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


def test_links_lie_where_the_report_has_them(there: Path, tmp_path: Path) -> None:
    top = tmp_path / "top"
    held = hold(rows("case"), Called(["case"]), there, ())
    Path("case/2/report.txt").write_text("later")
    here = lay_out(held, rows("case")[:2], top)
    assert here == Path(f"{top}{there}")
    found = {path.relative_to(here).as_posix() for path in here.rglob("*") if path.is_file()}
    assert found == {"case/1/heap", "case/2/heap"}
    assert (here / "case/1/heap").read_text() == "case/1/heap"


def test_no_row_leads_out_of_its_folder(there: Path, tmp_path: Path) -> None:
    top = tmp_path / "top"
    (there / "secret").write_text("x")
    odd = [{"origin": "case/../../../secret", "digest": "sha256:1"}, {"origin": "case/../secret", "digest": "sha256:2"}]
    held = hold(odd, Called(["case"]), there, ())
    assert len(held.missing) == 2
    lay_out(held, odd, top)
    assert not [path for path in tmp_path.rglob("*") if path.is_symlink()]
