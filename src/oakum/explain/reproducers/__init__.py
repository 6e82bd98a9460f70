"""A finding whose cause was read -> drafts of Go tests that trigger it, the most promising first. None of them was run.

Comes in: a suspect and the source. Goes out: whole test files for packages of the program's own tree. Which of them
fails without the drafted fix and passes with it is found out by experiment/prove.py; only that one is offered.
"""

from oakum.explain.code.program import Program
from oakum.explain.missing import frames_of
from oakum.explain.reproducers.gotest import write
from oakum.explain.reproducers.ways import ways
from oakum.model import DraftedTest, Sources, Suspect


def drafted_tests(suspect: Suspect, sources: Sources) -> tuple[DraftedTest, ...]:
    """Return test files that may show the leak of a suspect."""
    program = Program(sources, frames_of([suspect]))
    return tuple(dict.fromkeys(write(way) for way in ways(suspect, program)))


__all__ = ["drafted_tests"]
