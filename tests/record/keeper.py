"""Records tests/parse/testdata/heapdump: a program that keeps memory in known ways, its heap dump, its variables, and
what it says itself of each structure; of some versions the types of the program too, without its code (objcopy, of
binutils). Run it with the versions of Go: python tests/record/keeper.py 1.19.8+types 1.24.11 1.27.3+types"""

import gzip
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import toolchain

SOURCE = Path(__file__).resolve().parent / "keeper"
RECORDED = Path(__file__).resolve().parents[1] / "parse" / "testdata" / "heapdump"


def build(go: Path, program: Path, *flags: str) -> None:
    """Compile the program."""
    command = [str(go), "build", "-trimpath", *flags, "-o", str(program), "."]
    subprocess.run(command, cwd=SOURCE, env=toolchain.environment(), check=True, timeout=600)


def run(program: Path, dump: Path, number: int) -> str:
    """Run the program; return what it says that its structures hold."""
    command = [str(program), "-o", str(dump), "-n", str(number)]
    return subprocess.run(command, check=True, timeout=120, capture_output=True, text=True).stdout


def variables(go: Path, program: Path) -> str:
    """Return the variables that `go tool nm` lists."""
    command = [str(go), "tool", "nm", "-size", "-sort", "address", str(program)]
    listed = subprocess.run(command, env=toolchain.environment(), check=True, capture_output=True, text=True).stdout
    return "".join(f"{line}\n" for line in listed.splitlines() if line.split()[2:3] in (["D"], ["d"], ["B"], ["b"]))


def types(program: Path) -> bytes:
    """Return the program without its code, and without all of its DWARF but the types."""
    left = ("line", "frame", "loclists", "rnglists", "addr", "gdb_scripts", "loc", "ranges", "pubnames", "pubtypes")
    command = ["objcopy", "--only-keep-debug"]
    for section in left:
        command += ["--remove-section", f".debug_{section}", "--remove-section", f".zdebug_{section}"]
    subprocess.run([*command, str(program), f"{program}.debug"], check=True, timeout=60)
    return Path(f"{program}.debug").read_bytes()


def main() -> None:
    for wanted in sys.argv[1:]:
        version, _, more = wanted.partition("+")
        go = toolchain.go(version)
        with tempfile.TemporaryDirectory() as folder:
            program, dump = Path(folder, "keeper"), Path(folder, "heap.dump")
            build(go, program)
            told = run(program, dump, 300)
            into = RECORDED / f"go{version}"
            into.mkdir(parents=True, exist_ok=True)
            (into / "heap.dump.gz").write_bytes(gzip.compress(dump.read_bytes(), 9, mtime=0))
            (into / "variables.txt.gz").write_bytes(gzip.compress(variables(go, program).encode(), 9, mtime=0))
            if more:
                (into / "program.gz").write_bytes(gzip.compress(types(program), 9, mtime=0))
            (into / "told.json").write_text(told, encoding="utf-8")


if __name__ == "__main__":
    main()
