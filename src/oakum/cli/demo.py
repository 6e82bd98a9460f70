"""oakum demo: five incidents from production, diagnosed now from what was recorded of them, and their reports."""

import contextlib
import re
import shlex
import tempfile
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oakum.cli.demo_incidents import INCIDENTS, REPORT, Incident, lay_out
from oakum.model.errors import UsageError

if TYPE_CHECKING:
    from oakum.assemble import Input
    from oakum.model import Diagnosis
    from oakum.report.pen import Pen

_WORDS = {
    "intro": (
        "Leaks that took people days to find, each rebuilt with the upstream code at fault and recorded while it "
        "leaked. Nothing below is stored: every verdict is found now, from the captures in {folder}.",
        "这些都是真实发生过的线上泄漏，当时往往要查上好几天。这里用有问题的那版上游代码重建并录下了现场。"
        "下面没有一条结论是事先写好的，都是根据 {folder} 里的采集数据当场诊断出来的。",
    ),
    "done": ("Diagnosed and written in {seconds:.1f} s", "诊断并写好报告，共用时 {seconds:.1f} 秒"),
    "open": ("Open them in a browser; they need no network:", "用浏览器打开即可，无需联网："),
    "serve": (
        "The same in the browser, with their history, comparisons and evidence (Ctrl-C ends it):",
        "在浏览器中查看这些事件及其历史、对比与证据（按 Ctrl-C 结束）：",
    ),
    "install": ("To see them in the browser, with their history:", "如需在浏览器中查看这些事件及其历史："),
    "again": ("Every number in them is derived again by:", "页面里的每个数字都可以重新推导验证："),
    "yours": ("Now yours", "轮到你的服务了"),
    "pprof": ("what serves net/http/pprof", "开放了 net/http/pprof 的服务"),
    "files": ("captures, whatever format", "手头的采集文件，格式不限"),
    "find": ("Go programs that run here", "本机上运行的 Go 程序"),
}
_STORE = "store"
_YOURS = (
    ("oakum diagnose http://HOST:6060 -o report.html", "pprof"),
    ("oakum diagnose before/ after/ -o report.html", "files"),
    ("oakum find", "find"),
)


@click.command(
    epilog="""Examples:

\b
  oakum demo                                     all, in a temporary directory
  oakum demo kubernetes-83333 -o ~/oakum-demo    one of them, kept

Exit codes: 0, although they leak; 2 usage error, 4 failed.

See also: oakum diagnose (your own service), oakum doctor (what is missing on this machine).
""",
)
@click.argument(
    "names", nargs=-1, metavar="[INCIDENT]...", type=click.Choice([incident.name for incident in INCIDENTS])
)
@click.option("-o", "--output", metavar="DIR", help="Directory for captures, source and reports (default: temporary).")
@click.option("--lang", type=click.Choice(("en", "zh")), help="Language of the reports; default: the locale's.")
def command(names: tuple[str, ...], output: str | None, lang: str | None) -> None:
    """Diagnose five recorded incidents and write their reports; needs no Go and no network.

    INCIDENT is one of rancher-30122, open-simulator-88, ttrpc-94, kubernetes-98653 and kubernetes-83333; all of them
    if none is named. Each command is printed as you would type it, and works in the directory that is shown.
    """
    from oakum.cli.outputs import language, page_look
    from oakum.report.pen import Pen

    began = time.monotonic()
    spoken = lang or language()
    pen = Pen(page_look(spoken, None))
    chosen = [incident for incident in INCIDENTS if incident.name in names or not names]
    folder = _folder(output)
    _echo(*pen.wrapped(_text("intro", spoken, folder=pen.look.safe(str(folder))), 0))
    remember = _Remembering(folder / _STORE) if _has_pages() else None
    reports = [
        _replay(pen, incident, f"{number}/{len(chosen)}", folder, lang, remember)
        for number, incident in enumerate(chosen, 1)
    ]
    seconds = time.monotonic() - began
    _echo("", pen.look.styled(_text("done", spoken, seconds=seconds), "bold"))
    _echo(*pen.wrapped(_text("open", spoken), 0), *(f"  {pen.look.safe(str(report))}" for report in reports))
    if remember is not None:
        shown = ("serve", f"oakum serve --store {shlex.quote(str(remember.store))}")
    else:
        shown = ("install", "pip install 'oakum[serve]'")
    again = f"cd {shlex.quote(str(reports[0].parent))} && oakum report --recheck {REPORT}"
    _echo("", *pen.wrapped(_text("again", spoken), 0), f"  {pen.command(again)}")
    _echo("", pen.look.styled(_text("yours", spoken), "bold"))
    room = max(len(line) for line, _ in _YOURS)
    for line, about in _YOURS:
        _echo(f"  {pen.command(line)}{' ' * (room - len(line))}  {pen.look.styled(f'# {_text(about, spoken)}', 'dim')}")
    _echo("", *pen.wrapped(_text(shown[0], spoken), 0), f"  {pen.command(shown[1])}")


def _has_pages() -> bool:
    """Tell whether what a store and its pages need is installed."""
    return all(find_spec(name) for name in ("duckdb", "starlette", "uvicorn"))


class _Remembering:
    """Puts what was captured of the incidents into a store, with the diagnoses that were just made of it."""

    def __init__(self, store: Path) -> None:
        self.store = store

    def add(self, incident: Incident, here: Path, read: "Sequence[Input]", made: "Diagnosis") -> None:
        """Add an incident; its baselines stay undiagnosed, and what the command did not read is read now."""
        from oakum.pipeline.evidence import read_evidence
        from oakum.store import open_writer
        from oakum.store.adding import add_inputs

        first = incident.evidence[-1]
        with open_writer(self.store) as writer:
            for name in sorted(incident.takes.values(), key=lambda name: name != first):
                inputs = [one for one in read if one.given == name] or read_evidence((str(here / name),))
                now = round(time.time() * 1e6)
                add_inputs(writer, inputs, now, saved=(made,), incident=incident.name, diagnosed=False)


def _replay(
    pen: "Pen", incident: Incident, number: str, folder: Path, lang: str | None, remember: "_Remembering | None"
) -> Path:
    """Tell the story, run the command where its evidence lies, show the verdict; return the page that it wrote."""
    from oakum.cli import invoke
    from oakum.cli.case import read_inputs
    from oakum.pipeline.saved import load
    from oakum.report.json import diagnosis
    from oakum.report.page.compose import compose
    from oakum.report.terminal import brief

    here = lay_out(incident, folder)
    words = incident.command(lang)
    _echo("", pen.look.styled(f"{number}  {incident.name}", "bold", "magenta"))
    _echo(*pen.wrapped(incident.story[pen.look.lang == "zh"], 0))
    _echo("", pen.command(shlex.join(("cd", str(here)))), *_typed(pen, words))
    read: list[Input] = []
    token = read_inputs.set(read)
    try:
        with contextlib.chdir(here):
            invoke(words)
    finally:
        read_inputs.reset(token)
    page = here / REPORT
    made = diagnosis(load(str(page)).document)
    if remember is not None:
        remember.add(incident, here, read, made)
    told = compose(made, pen.look.lang)
    _echo("", brief(told, pen.look).rstrip("\n"))
    return page


def _typed(pen: "Pen", words: Sequence[str]) -> list[str]:
    """Return a command as one types it; in a narrow terminal on several lines, which the shell takes as one."""
    lines, line = [], f"$ oakum {words[0]}"
    for option in re.split(r" (?=-)", shlex.join(words[1:])):
        if pen.columns is not None and len(f"{line} {option} \\") > pen.columns:
            lines.append(f"{line} \\")
            line = f"    {option}"
        else:
            line += f" {option}"
    return [pen.look.styled(one, "blue") for one in (*lines, line)]


def _folder(output: str | None) -> Path:
    try:
        if output is None:
            return Path(tempfile.mkdtemp(prefix="oakum-demo-"))
        folder = Path(output).expanduser().resolve()
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"-o {output}: cannot create the directory: {error.strerror or error}") from None
    return folder


def _text(key: str, lang: str, **args: object) -> str:
    return _WORDS[key][lang == "zh"].format(**args)


def _echo(*lines: str) -> None:
    for line in lines:
        click.echo(line, color=True)
