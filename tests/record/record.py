"""Record tests/testdata/recorded again: the zoo, built with several Go versions, in every kind of dump and profile.

Comes in: the Go programs beside this file. Goes out: one folder for each variant, with truth.json. Refuses to keep a
file that names a path of this machine: everything is built and run in /opt/zoo, which must not exist before.
"""

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import toolchain  # noqa: E402  (run as a script, its folder is not on the path before the line above)

RECORDED = HERE.parent / "testdata" / "recorded"
# The folder that stands in the recorded paths, as if the program had been deployed there.
YARD = Path("/opt/zoo")
# Goroutines show since when they wait from one minute on.
WAIT = "65s"
# Texts above this size are stored gzipped.
PLAIN = 30_000
CRASHES = ("panic", "repanic", "segv", "deadlock", "overflow")


@dataclass(frozen=True)
class Variant:
    """One way to build the zoo."""

    go: str
    name: str
    trimmed: bool = True
    cgo: bool = False
    experiment: str = ""

    @property
    def language(self) -> str:
        """Return the version for go.mod, which decides Go's own defaults."""
        return ".".join(self.go.split(".")[:2])


VARIANTS = (
    Variant("1.19", "go1.19.8"),
    Variant("1.21.13", "go1.21.13"),
    Variant("1.23.9", "go1.23.9"),
    Variant("1.24.11", "go1.24.11"),
    Variant("1.24.11", "go1.24.11-paths", trimmed=False),
    Variant("1.24.11", "go1.24.11-cgo", trimmed=False, cgo=True),
    Variant("1.26.6", "go1.26.6", experiment="goroutineleakprofile"),
    Variant("1.27.3", "go1.27.3"),
)


def stage(folder: Path, language: str) -> Path:
    """Copy the zoo and its dependency into a folder for this Go version; return where the zoo stands."""
    for name in ("zoo", "pen.v2"):
        shutil.copytree(HERE / name, folder / name, dirs_exist_ok=True)
    module = folder / "zoo" / "go.mod"
    module.write_text(module.read_text().replace("\ngo 1.19\n", f"\ngo {language}\n"))
    return folder / "zoo"


def _serve_dependency(proxy: Path, source: Path) -> None:
    """Write the dependency as a module proxy serves it, so that it is built from a module cache."""
    module, version = "example.org/Lantern/pen.v2", "v1.4.0"
    folder = proxy / "example.org" / "!lantern" / "pen.v2" / "@v"
    folder.mkdir(parents=True)
    (folder / "list").write_text(f"{version}\n")
    (folder / f"{version}.info").write_text(json.dumps({"Version": version, "Time": "2024-01-02T03:04:05Z"}))
    shutil.copy(source / "go.mod", folder / f"{version}.mod")
    with zipfile.ZipFile(folder / f"{version}.zip", "w") as packed:
        for path in sorted(source.iterdir()):
            packed.write(path, f"{module}@{version}/{path.name}")


def _build(variant: Variant) -> tuple[Path, Path | None]:
    """Return the zoo built as the variant says, and its test binary where there is synctest."""
    compiler = toolchain.go(variant.go)
    folder = YARD / "made" / variant.name
    zoo = stage(folder / "staged", variant.language)
    # The paths that will be recorded: /opt/zoo/src, /opt/zoo/go1.24.11, /opt/zoo/go/pkg/mod.
    source = YARD / "src"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(zoo, source)
    module = source / "go.mod"
    module.write_text("".join(line for line in module.open() if not line.startswith("replace ")))
    env = toolchain.environment() | {
        "GOPROXY": f"file://{YARD}/proxy", "GOSUMDB": "off", "GOFLAGS": "-mod=mod -modcacherw -buildvcs=false",
        "GOPATH": f"{YARD}/go", "GOMODCACHE": f"{YARD}/go/pkg/mod", "GOEXPERIMENT": variant.experiment,
        "CGO_ENABLED": "1" if variant.cgo else "0",
    }  # fmt: skip
    if not variant.trimmed:
        root = YARD / f"go{variant.go}"
        if not root.exists():
            root.symlink_to(compiler.parent.parent)
        compiler, env["GOROOT"] = root / "bin" / "go", str(root)
    flags = ["-trimpath"] if variant.trimmed else []
    program = folder / "bin" / "zoo"
    subprocess.run([compiler, "build", *flags, "-o", program, "."], cwd=source, env=env, check=True)
    if tuple(map(int, variant.language.split("."))) < (1, 25):
        return program, None
    tests = folder / "bin" / "zoo.test"
    subprocess.run([compiler, "test", "-c", *flags, "-o", tests, "."], cwd=source, env=env, check=True)
    return program, tests


def _run(program: Path, *words: str, **env: str) -> bytes:
    """Return what a run of the zoo wrote, on both streams."""
    done = subprocess.run(
        [program, *words], env={"GOTRACEBACK": "all"} | env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        timeout=120, check=False, cwd="/",
    )  # fmt: skip
    return done.stdout


def _quit(program: Path, traceback: str) -> bytes:
    """Return what the zoo wrote when it was told to quit."""
    with subprocess.Popen(
        ["/bin/sh", "-c", f"ulimit -c 0; exec {program} wait"], env={"GOTRACEBACK": traceback}, cwd="/",
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.send_signal(signal.SIGQUIT)
        return process.stderr.read()


def _crashes(program: Path, tests: Path | None, out: Path) -> None:
    """Write the dumps that the zoo gives only by dying, or under a debug setting."""
    for mode in CRASHES:
        (out / f"{mode}.txt").write_bytes(_run(program, mode))
    (out / "sigquit.all.txt").write_bytes(_quit(program, "all"))
    (out / "sigquit.crash.txt").write_bytes(_quit(program, "crash"))
    (out / "ancestors.txt").write_bytes(_run(program, "stack", GODEBUG="tracebackancestors=5"))
    sampled = out / "sampled"
    sampled.mkdir()
    _run(program, "sampled", str(sampled))
    if tests:
        _run(tests, "-test.run=TestBubble", ZOO_BUBBLE=str(out / "bubble.txt"))


def _keep(variant: Variant, made: Path) -> None:
    """Move what a variant made into the repository, large texts gzipped."""
    target = RECORDED / variant.name
    shutil.rmtree(target, ignore_errors=True)
    foreign = [
        os.fsencode(path) for path in (HERE.parents[2], Path.home(), "/tmp/", toolchain.CACHE) if str(path) != "/"
    ]
    for path in sorted(made.rglob("*")):
        if not path.is_file():
            continue
        data = path.read_bytes()
        plain = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        for name in foreign:
            if name in plain:
                raise SystemExit(f"{variant.name}/{path.name} names {name.decode()}")
        kept = target / path.relative_to(made)
        kept.parent.mkdir(parents=True, exist_ok=True)
        if len(data) > PLAIN and plain is data:
            kept.with_name(f"{kept.name}.gz").write_bytes(gzip.compress(data, 9, mtime=0))
        else:
            kept.write_bytes(data)


def main() -> None:
    """Record every variant, or those named on the command line."""
    wanted = [variant for variant in VARIANTS if variant.name in sys.argv[1:] or len(sys.argv) == 1]
    try:
        for variant in wanted:
            toolchain.go(variant.go)
    except toolchain.Missing as reason:
        raise SystemExit(str(reason)) from None
    if YARD.exists():
        raise SystemExit(
            f"{YARD} exists: it is built here and removed afterwards, so that no path of yours is recorded"
        )
    try:
        YARD.mkdir()
    except OSError as error:
        raise SystemExit(f"cannot make {YARD} ({error.strerror}): record as root, in a container") from None
    try:
        _serve_dependency(YARD / "proxy", HERE / "pen.v2")
        built = {variant: _build(variant) for variant in wanted}
        running = []
        for variant, (program, _) in built.items():
            out = YARD / "out" / variant.name
            out.mkdir(parents=True)
            running.append(subprocess.Popen([program, "profiles", out, WAIT], env={}, cwd="/"))
        for variant, (program, tests) in built.items():
            if not variant.cgo:
                _crashes(program, tests, YARD / "out" / variant.name)
        for process in running:
            if process.wait(timeout=300):
                raise SystemExit(f"{process.args!r} failed")
        for variant in wanted:
            _keep(variant, YARD / "out" / variant.name)
    finally:
        shutil.rmtree(YARD, ignore_errors=True)


if __name__ == "__main__":
    main()
