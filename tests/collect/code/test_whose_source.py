"""Is a --source directory the program's?"""

from pathlib import Path

import pytest

from oakum.collect.code.whose_source import foreign_source
from oakum.model import Build

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
    assert told == (
        f"--source {tmp_path} is not this program's source: it holds module example.com/billing; looked for module "
        "example.com/shop, packages example.com/shop/cmd/orders, example.com/shop/pool"
    )


@pytest.mark.parametrize("module", ["example.com/shop", "example.com/store"])
def test_the_program_and_its_dependencies_are_its_source(tmp_path: Path, module: str) -> None:
    assert foreign_source(checkout(tmp_path, module), [SHOP], ()) == ""


def test_a_folder_of_it_and_one_around_it_are_its_source(tmp_path: Path) -> None:
    checkout(tmp_path / "services" / "shop", "example.com/shop", "pool")
    assert foreign_source(str(tmp_path / "services" / "shop" / "pool"), [SHOP], ()) == ""
    assert foreign_source(str(tmp_path), [SHOP], ()) == ""


def test_packages_of_frames_tell_where_no_build_does(tmp_path: Path) -> None:
    source = checkout(tmp_path / "a", "example.com/shop")
    assert foreign_source(source, [], {"example.com/shop/pool"}) == ""
    told = foreign_source(source, [], {"example.com/ship/pool", "main"})
    assert told.endswith("it holds module example.com/shop; looked for package example.com/ship/pool")
    assert foreign_source(source, [], {"main"}) == ""


def test_a_tree_without_go_mod_is_known_by_its_folders(tmp_path: Path) -> None:
    source = checkout(tmp_path / "gopath" / "example.com" / "shop", "", "internal/pool")
    assert foreign_source(source, [], {"example.com/shop/internal/pool"}) == ""
    assert foreign_source(source, [], {"example.com/shop/cmd"}) == ""
    told = foreign_source(source, [], {"other.org/x/queue"})
    assert "it holds no go.mod; looked for package other.org/x/queue" in told


def test_functions_of_package_main_tell_where_it_has_no_other(tmp_path: Path) -> None:
    source = Path(checkout(tmp_path / "a", "example.com/billing"))
    (source / "main.go").write_text("package main\n\nfunc main() {}\n\nfunc (b *book) settle(id int) {}\n")
    told = foreign_source(str(source), [], {"main"}, {"reserve", "lookup"})
    assert told.endswith("it holds module example.com/billing; looked for functions main.lookup, main.reserve")
    assert foreign_source(str(source), [], {"main"}, {"reserve", "settle"}) == ""
    assert foreign_source(str(tmp_path / "empty"), [], {"main"}, {"reserve"}) == "", "no Go source: said elsewhere"
