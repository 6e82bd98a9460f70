"""Record the small service whose captures the READMEs and many tests show: builds and runs tests/record/quotes.

The last dump is also written as containerd's logger would have put it into the journal: one line, escaped.
"""

import gzip
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_BEGIN, _END = "=== BEGIN goroutine stack dump ===", "=== END goroutine stack dump ==="
KEPT = ROOT / "src" / "oakum" / "cli" / "demo_evidence"


def main() -> None:
    """Build, run, and keep the captures."""
    go = shutil.which("go") or sys.exit("go is not installed")
    shutil.rmtree(KEPT, ignore_errors=True)
    KEPT.mkdir()
    # A profile names its program's path: /srv/quotes-... says nothing about the machine it was recorded on.
    with tempfile.TemporaryDirectory(prefix="quotes-", dir="/srv") as folder:
        program, out = Path(folder, "quotes"), Path(folder, "out")
        out.mkdir()
        source = ROOT / "tests" / "record" / "quotes"
        subprocess.run([go, "build", "-trimpath", "-o", str(program), "."], cwd=source, check=True)
        subprocess.run([str(program), "out"], cwd=folder, check=True, timeout=180)
        for path in sorted(out.iterdir()):
            if path.suffix == ".gz":
                shutil.copy(path, KEPT / path.name)
            else:
                (KEPT / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
        (KEPT / "journal.log").write_text(_journal((out / "during.goroutine.txt").read_text()), encoding="utf-8")


def _journal(dump: str) -> str:
    first = dump.split("\n\n")[:40]
    escaped = "\n\n".join(first).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    prefix = "Nov 15 09:12:55 node-4 quotes[1188]: "
    lines = (
        'time="2026-11-15T09:12:54Z" level=info msg="received signal" signal="user defined signal 1"',
        f'time="2026-11-15T09:12:55Z" level=info msg="{_BEGIN}\\n{escaped}\\n{_END}"',
        'time="2026-11-15T09:12:56Z" level=info msg="still serving"',
    )
    return "".join(f"{prefix}{line}\n" for line in lines)


if __name__ == "__main__":
    main()
