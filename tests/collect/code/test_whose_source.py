"""Is a --source directory the program's?"""

from pathlib import Path

import pytest

from oakum.collect.code.whose_source import foreign_source
from oakum.model import Build
from oakum.report.words import say

SHOP = Build(main="example.com/shop", path="example.com/shop/cmd/orders", modules={"example.com/store": "v1.2.0"})


def checkout(folder: Path, module: str, *packages: str) -> str:
    for package in ("", *packages):
        (folder / package).mkdir(parents=True, exist_ok=True)
        (folder / package / "a.go").write_text("package a\n")
    if module:
        (folder / "go.mod").write_text(f"module {module}\n")
    return str(folder)


def test_another_program_is_told_with_what_was_looked_for(tmp_path: Path) -> None:
    told = foreign_source(checkout(tmp_path, "example.com/billing"), [SHOP], {"example.com/shop/pool"})
    assert told is not None
    assert say(told) == (
        f"--source {tmp_path} is not this program's source: it contains example.com/billing; looked for "
        "example.com/shop, example.com/shop/cmd/orders, example.com/shop/pool"
    )


@pytest.mark.parametrize("module", ["example.com/shop", "example.com/store"])
def test_the_program_and_its_dependencies_are_its_source(tmp_path: Path, module: str) -> None:
    assert foreign_source(checkout(tmp_path, module), [SHOP], ()) is None


def test_a_folder_of_it_and_one_around_it_are_its_source(tmp_path: Path) -> None:
    checkout(tmp_path / "services" / "shop", "example.com/shop", "pool")
    assert foreign_source(str(tmp_path / "services" / "shop" / "pool"), [SHOP], ()) is None
    assert foreign_source(str(tmp_path), [SHOP], ()) is None


def test_packages_of_frames_tell_where_no_build_does(tmp_path: Path) -> None:
    source = checkout(tmp_path / "a", "example.com/shop")
    assert foreign_source(source, [], {"example.com/shop/pool"}) is None
    told = foreign_source(source, [], {"example.com/ship/pool", "main"})
    assert told is not None
    assert told.args == {"source": source, "there": "example.com/shop", "wanted": "example.com/ship/pool"}
    assert foreign_source(source, [], {"main"}) is None


def test_a_tree_without_go_mod_is_known_by_its_folders(tmp_path: Path) -> None:
    source = checkout(tmp_path / "gopath" / "example.com" / "shop", "", "internal/pool")
    assert foreign_source(source, [], {"example.com/shop/internal/pool"}) is None
    assert foreign_source(source, [], {"example.com/shop/cmd"}) is None
    told = foreign_source(source, [], {"other.org/x/queue"})
    assert told is not None
    assert "it contains no go.mod; looked for other.org/x/queue" in say(told)


def test_functions_of_package_main_tell_where_it_has_no_other(tmp_path: Path) -> None:
    source = Path(checkout(tmp_path / "a", "example.com/billing"))
    (source / "main.go").write_text("package main\n\nfunc main() {}\n\nfunc (b *book) settle(id int) {}\n")
    told = foreign_source(str(source), [], {"main"}, {"reserve", "lookup"})
    assert told is not None
    assert say(told).endswith("it contains example.com/billing; looked for main.lookup, main.reserve")
    assert foreign_source(str(source), [], {"main"}, {"reserve", "settle"}) is None
    assert foreign_source(str(tmp_path / "empty"), [], {"main"}, {"reserve"}) is None, "no Go source: said elsewhere"
