"""The inputs of the comparisons, made once and kept in bench/out/ until their makers change.

`python -m bench.inputs NAME...` makes them in a process of its own: the one that measures must stay small, because a
process is charged with the memory of the one that started it.
"""

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
OUT = HERE / "out"
MAKERS = ("names.py", "dumps.py", "generate.py", "snapshots.py", "bundles.py", "trees.py", "inputs.py")
MIB = 1 << 20


def _make(name: str, path: Path) -> None:
    from bench import bundles, generate, snapshots, trees  # here, because numpy is large

    makers: dict[str, Callable[[], object]] = {
        "profile-35MB.pb.gz": lambda: generate.write_profile(path),
        "profile-ordinary.pb.gz": lambda: generate.write_profile(
            path, samples=5_000, locations=6_000, functions=3_000, depth=60
        ),
        "dump-64MiB.txt": lambda: generate.write_dump(path, size=64 * MIB),
        "dump-64MiB-go1.20.txt": lambda: generate.write_dump(path, size=64 * MIB, parents=False),
        "dump-1GiB.txt": lambda: generate.write_dump(path, size=1024 * MIB),
        "snapshots-100": lambda: snapshots.write_snapshots(path),
        "bundle-700": lambda: bundles.write_bundle(path),
        "go-tree": lambda: trees.write_tree(path),
        "bomb.gz": lambda: generate.write_bomb(path),
    }
    makers[name]()


def _stored(name: str, mark: str = "") -> Path:
    mark = mark or hashlib.sha256(b"".join((HERE / maker).read_bytes() for maker in MAKERS)).hexdigest()[:8]
    stem, dot, ending = name.partition(".")
    return OUT / f"{stem}-{mark}{dot}{ending}"


def need(name: str) -> Path:
    """Return the path of an input, made now if it is not there yet."""
    path = _stored(name)
    if not path.exists():
        subprocess.run([sys.executable, "-m", "bench.inputs", name], cwd=HERE.parent, check=True)
    return path


def main() -> None:
    """Make the inputs named on the command line, and remove what earlier makers left of them."""
    OUT.mkdir(exist_ok=True)
    for name in sys.argv[1:]:
        path = _stored(name)
        unfinished = path.with_name(f".{path.name}")
        for old in (*OUT.glob(_stored(name, "????????").name), unfinished):
            if old.is_dir():
                shutil.rmtree(old)
            else:
                old.unlink(missing_ok=True)
        _make(name, unfinished)
        unfinished.rename(path)


if __name__ == "__main__":
    main()
