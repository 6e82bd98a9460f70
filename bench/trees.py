"""A tree of 10,000 Go files for `oakum scan`: the standard library of the Go at hand, as often as it takes."""

import shutil
import subprocess
from pathlib import Path

from bench.cases import toolchain

FILES = 10_000


def write_tree(path: Path) -> None:
    """Write copies of the standard library's files without tests, each below a module of its own."""
    told = subprocess.run([toolchain.go(), "env", "GOROOT"], capture_output=True, text=True, check=True)
    source = Path(told.stdout.strip()) / "src"
    files = sorted(one for one in source.rglob("*.go") if not one.name.endswith("_test.go") and one.is_file())
    files = [one for one in files if not {"testdata", "vendor"} & set(one.relative_to(source).parts)]
    for number in range(FILES):
        copy, at = divmod(number, len(files))
        place = path / f"copy{copy}" / files[at].relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(files[at], place)
        if not at:
            (path / f"copy{copy}" / "go.mod").write_text(f"module example.com/copy{copy}\n", encoding="utf-8")


__all__ = ["FILES", "write_tree"]
