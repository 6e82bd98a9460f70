"""Commands whose output is copied: Wait returns only when everybody who inherited the pipe has closed it.

Comes in: a scene that waits for the output of a command, in os/exec's own goroutine or in Run. Goes out: the commands
of the program that are run so without WaitDelay: a child of the child, left in the background, keeps Wait waiting.
"""

from oakum.explain.code.calls import method, on, place
from oakum.explain.code.nouns import Op, Var
from oakum.explain.code.syntax import bare, text
from oakum.explain.reason import Reason, StackInSource
from oakum.explain.values import called
from oakum.model import CauseSite, Text

_COPIES = ("os/exec.(*Cmd).writerDescriptor", "os/exec.(*Cmd).stdout", "os/exec.(*Cmd).stderr", "os/exec.(*Cmd).Start.")
_MAKES = ("os/exec.Command", "os/exec.CommandContext")
_STREAMS = ("Stdout", "Stderr")
_RUNS = ("Run", "Wait", "Output", "CombinedOutput")
_MOST = 2


def reason(scene: StackInSource) -> Reason | None:
    """Return which commands are waited for without a limit."""
    if not any(frame.function.startswith(_COPIES) for frame in scene.trace.frames):
        return None
    found = [
        one
        for package in scene.program.own(b'"os/exec"')
        for func in package.all
        for op in func.ops
        if op.kind == "call" and called(op.node, func, op.file, package) in _MAKES
        if (one := _copied(op)) is not None
    ]
    if not found or len(found) > _MOST:
        return None
    texts = [Text("cause.command.waits", {})]
    sites: list[CauseSite] = []
    for made, output, runs in found:
        args = {"function": made.func.full, "place": place(made), "output": place(output), "runs": place(runs)}
        texts.append(Text("cause.command.copied", args | {"code": output.code}))
        sites += [made.func.site("no-deadline", made.line), runs.func.site("waits", runs.line)]
    texts.append(Text("cause.command.ends", {}))
    return Reason(scene.suspect.mechanisms[0], tuple(texts), tuple(sites))


def _copied(made: Op) -> tuple[Op, Op, Op] | None:
    """Return (the command made, what has its output copied, what waits for it); None when it is limited or unknown."""
    target = next((op.target for op in made.step.ops if op.kind == "assign" and op.values[0] == made.node), None)
    var = made.func.package.var(target, made.file) if target is not None else None
    if var is None or var.kind != "local":
        return None
    ops = list(made.func.everything())
    if any(_field(op, var) == "WaitDelay" for op in ops):
        return None
    runs = next((op for op in ops if op.kind == "call" and on(op) is var and method(op) in _RUNS), None)
    output = next((op for op in ops if _field(op, var) in _STREAMS and _is_buffer(op)), None)
    if output is None and runs is not None and method(runs) in ("Output", "CombinedOutput"):
        output = runs
    return (made, output, runs) if output is not None and runs is not None else None


def _field(op: Op, var: Var) -> str:
    """Return the field of a variable that is assigned to."""
    if op.kind != "assign" or op.target is None or op.target.type != "selector_expression" or on(op) is not var:
        return ""
    return text(op.target.child_by_field_name("field"))


def _is_buffer(op: Op) -> bool:
    """Tell whether output goes through a pipe: os.Stdout and other files are handed to the child as they are."""
    value = bare(op.values[0])
    kind = op.func.package.type_of(value, op.func, op.file)
    return not text(value).startswith("os.Std") and kind in ("bytes.Buffer", "strings.Builder", "*bytes.Buffer")
