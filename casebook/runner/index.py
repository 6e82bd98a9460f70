"""All cases -> casebook/INDEX.md: what each is, what leaks in it, or what it only looks like."""

from collections.abc import Iterable

from casebook.runner.case import Case
from casebook.runner.expectation import expectation

_HEAD = """# The cases

Written by `pytest tests/casebook/test_index.py --update` from case.toml and expect.toml.
"""


def index(cases: Iterable[Case]) -> str:
    """Return the list of cases as Markdown: leaking ones by what leaks, then healthy ones by what they look like."""
    leaking, healthy, servers = [], [], []
    for one in cases:
        truth = expectation(one, one.builds[0].name)
        others = ", ".join(f"{build.name}" for build in one.builds[1:])
        if truth.findings:
            what = " + ".join(finding.mechanism for finding in truth.findings)
            known = next((finding.known.id for finding in truth.findings if finding.known), "")
            leaking.append(f"| [{one.name}]({one.name}) | {what} | {one.title} | {known} | {others} |")
        elif one.upstream:
            servers.append(f"| [{one.name}]({one.name}) | {truth.looks_like} | {one.title} |")
        else:
            healthy.append(f"| [{one.name}]({one.name}) | {truth.looks_like} | {one.title} |")
    parts = [
        _HEAD,
        f"## Leaking ({len(leaking)})\n\n"
        "| case | mechanism | what it is | known bug | other builds |\n|---|---|---|---|---|",
        *leaking,
        f"\n## Healthy programs ({len(healthy)})\n\n| case | looks like | what it is |\n|---|---|---|",
        *healthy,
        f"\n## Real servers under load ({len(servers)})\n\n| case | looks like | what it is |\n|---|---|---|",
        *servers,
    ]
    return "\n".join(parts) + "\n"


__all__ = ["index"]
