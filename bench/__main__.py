"""`python -m bench [CASE...]`: run the comparisons, print the figures, ratios and whether each target is met.

Exit code 1 when a target is missed; a peer that is missing is reported with its reason and misses nothing.
"""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from bench.cases import CASES, Outcome, Scope


def _print(name: str, outcome: Outcome) -> None:
    print(f"\n{name}: {outcome.title}")
    for figures in outcome.figures:
        print(f"  {figures.name:<22} {figures.wall:9.3f} s {figures.cpu:9.3f} s of CPU {figures.memory / 1e6:6.0f} MB")
    for target in outcome.targets:
        print(f"  {'met   ' if target.met else 'MISSED'}  {target.text}: {target.came_to}")
    for note in outcome.notes:
        print(f"  note    {note}")
    for reason in outcome.missing:
        print(f"  absent  {reason}")
    sys.stdout.flush()


def main() -> int:
    """Run the cases named on the command line, or all."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Oakum beside its peers.")
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"one or more of {', '.join(CASES)}; all if none")
    parser.add_argument("--quick", action="store_true", help="leave out what takes minutes")
    parser.add_argument(
        "--full", action="store_true", help="history, serve: 200 and 2,000 services, not a tenth of them"
    )
    parser.add_argument("--runs", type=int, default=3, help="take the best of so many runs (3)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    arguments = parser.parse_args()
    if unknown := set(arguments.cases) - set(CASES):
        parser.error(f"no such case: {', '.join(sorted(unknown))}; there are {', '.join(CASES)}")
    outcomes: dict[str, Outcome] = {}
    for name in arguments.cases or CASES:
        outcomes[name] = CASES[name](Scope(arguments.runs, arguments.quick, arguments.full))
        _print(name, outcomes[name])
    if arguments.json:
        text = json.dumps({name: asdict(outcome) for name, outcome in outcomes.items()}, indent=1)
        arguments.json.write_text(text + "\n", encoding="utf-8")
    missed = [name for name, outcome in outcomes.items() if not all(target.met for target in outcome.targets)]
    print(f"\nmissed in {', '.join(missed)}" if missed else "\nevery target met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
