"""Work on pieces of columns, shared among the processor's cores: numpy lets go of the interpreter meanwhile."""

import os
from collections.abc import Callable, Sequence
from functools import cache
from threading import Lock, Thread
from typing import TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")

MOST_THREADS = 4  # more only wait for memory


_cores = cache(lambda: os.cpu_count() or 1)  # asks the kernel each time


def spread(work: Callable[[Piece], Result], pieces: Sequence[Piece]) -> list[Result]:
    """Return what `work` makes of each piece, in their order; several pieces share the processor's cores."""
    helpers = min(MOST_THREADS, _cores(), len(pieces) // 2) - 1
    if helpers <= 0:
        return [work(piece) for piece in pieces]
    done: dict[int, Result] = {}
    failed: list[BaseException] = []
    rows = iter(range(len(pieces)))
    taking = Lock()

    def run() -> None:
        try:
            while not failed:
                with taking:
                    row = next(rows, None)
                if row is None:
                    return
                done[row] = work(pieces[row])
        except BaseException as error:
            failed.append(error)

    threads = [Thread(target=run) for _ in range(helpers)]
    for thread in threads:
        thread.start()
    run()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return [done[row] for row in range(len(pieces))]
