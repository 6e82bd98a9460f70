"""Entry point: `oakum` and `python -m oakum`. Answers --version before anything heavy is imported."""

import gc
import os
import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    if sys.argv[1:] in (["--version"], ["-version"]):
        from oakum import __version__

        try:
            print(f"oakum {__version__}", flush=True)
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # else Python tries to write it once more
            print(f"oakum: cannot write the output: {error.strerror}", file=sys.stderr)
            sys.exit(4)
        return
    # numpy starts threads for linear algebra, which nobody here does; and a command is over before the cycles that a
    # collector could find amount to anything.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.disable()
    # glibc returns large blocks to the kernel as they are freed, and has each page zeroed for the next one. Once a
    # block of some size was freed it keeps as much at hand: columns and chunks of text are below this.
    bytes(8 << 20)
    try:
        from oakum.cli import run
    except KeyboardInterrupt:  # before there is anybody who could tell it
        print("oakum: interrupted", file=sys.stderr)
        sys.exit(130)
    code = run(sys.argv[1:])
    if "oakum.watch.watcher" in sys.modules:  # looks may be under way in threads: all that counts is on the disk
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    if "duckdb" not in sys.modules:  # which complains of whatever is not collected
        gc.freeze()  # as it ends, Python looks for cycles all the same: among everything that was read
    sys.exit(code)


if __name__ == "__main__":
    main()
