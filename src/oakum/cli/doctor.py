"""oakum doctor: what is missing on this machine and what that costs. Exit 0 when diagnose works, else 4."""

import json
import platform
import textwrap

import click
from msgspec.structs import asdict

from oakum import __version__
from oakum.cli.checks import NEEDED, Check, checks
from oakum.cli.screen import columns_of, safe, styled, width

_STYLES = {"ok": "green", "limited": "magenta", "missing": "red"}
_WIDEST = 100
_NARROW = 80  # below it what was found stands under its name: beside it there is too little room for a path


@click.command(
    epilog="""Each check is ok, limited or missing; the latter two with what that limits and how to fix it. Nothing is
changed and nothing is sent; only --online asks the API server of the kubeconfig for its version. Not needed and not
checked: kubectl, docker, a browser.

\b
Examples:
  oakum doctor                        before the first diagnosis
  oakum doctor --online               also check the API server
  oakum doctor --json                 for scripts (schema oakum.doctor/1)
  oakum doctor --json | jq -r '.checks[] | select(.state != "ok") | .mend'

Exit codes: 0 diagnose works here, whatever else is missing; 4 it does not; 2 usage error.

See also: oakum demo (recorded incidents), oakum find (local Go processes).
""",
)
@click.option("--online", is_flag=True, help="Also ask the API server of the kubeconfig for its version.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON (schema oakum.doctor/1).")
def command(online: bool, as_json: bool) -> int:
    """Check what is missing on this machine, and what that limits.

    Checks: Python and its libraries, with a small test diagnosis; Go, its module cache and standard library; processes,
    permissions, sockets, journal and kubeconfig; Graphviz, disk, terminal and clock.
    """
    groups = [*checks(online)]
    found = {name: check for _, group in groups for name, check in group.items()}
    able = all(check.state != "missing" for title, group in groups if title == NEEDED for check in group.values())
    if as_json:
        rows = [
            {"group": title, "name": name, **asdict(check)} for title, group in groups for name, check in group.items()
        ]
        told = {"schema": "oakum.doctor/1", "tool": __version__, "able": able, "checks": rows}
        click.echo(json.dumps(told, indent=2, ensure_ascii=False))
        return 0 if able else 4
    click.echo(f"oakum {__version__} on {platform.system()} {platform.machine()}")
    for title, group in groups:
        click.echo(f"\n{styled(title, 'bold')}")
        for name, check in group.items():
            _show(name, check)
    click.echo(f"\n{_verdict(found, able)}")
    return 0 if able else 4


def _show(name: str, check: Check) -> None:
    """Print a check: what was found, and below it what its lack limits and how to fix it."""
    named = f"  {styled(f'{check.state:<7}', _STYLES[check.state])}  {name:<17}"
    indent = " " * columns_of(named)
    if (width() or _NARROW) < _NARROW:
        click.echo(named.rstrip())
        named = indent = " " * 6
    for head, text in ((named, check.found), (f"{indent}limits: ", check.costs), (f"{indent}fix:    ", check.mend)):
        for number, line in enumerate(_wrapped(safe(text), columns_of(head)) if text else []):
            click.echo(f"{' ' * columns_of(head) if number else head}{line}")


def _wrapped(text: str, indent: int) -> list[str]:
    room = width()
    if room is None:
        return [text]
    return textwrap.wrap(text, max(20, min(room, _WIDEST) - indent), break_long_words=False, break_on_hyphens=False)


def _verdict(found: dict[str, Check], able: bool) -> str:
    less = []
    for state in ("missing", "limited"):
        if names := [name for name, check in found.items() if check.state == state]:
            less.append(f"{len(names)} {state} ({', '.join(names)})")
    if not able:
        return styled(f"diagnose does not work here yet: {'; '.join(less)}.", "red")
    if not less:
        return "All checks passed. Next: oakum demo, or oakum diagnose http://HOST:6060"
    return f"diagnose works here; {'; '.join(less)}. Next: oakum demo, or oakum diagnose http://HOST:6060"
