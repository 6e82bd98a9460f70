"""A diagnosis in which everything that evidence can bring is hostile: names, paths, versions, labels, problems."""

from typing import Any

from msgspec.structs import replace

from diagnoses import LAST, changed, leak, rich
from oakum.model import (
    Build,
    Diagnosis,
    Evidence,
    Explained,
    Frame,
    Gap,
    InputRow,
    Point,
    ProcessRow,
    Site,
    Text,
)
from support import quoted

EVIL = "</script><img src=x onerror=alert(1)>`|\n\x1b[31m\u202e@someone #123 [x](javascript:alert(1)) "


def hostile(name: str) -> Diagnosis:
    """Return a diagnosis in which every name that evidence brings is the given one."""
    found = leak()
    unknown: Any = name  # no word of the vocabulary
    frame = Frame(name, name, 7)
    bad = Evidence(
        "steady-growth", Text("goroutines.steady-growth", {"counts": (1, 2), "moments": 2}), LAST, name, name
    )
    suspect = replace(
        found.suspect,
        sites=(Site("blocked", frame, name, 3), Site("created", frame), Site("driver", frame)),
        victims=tuple(replace(victim, frame=frame, state=name) for victim in found.suspect.victims),
        evidence=(
            bad,
            replace(bad, kind=unknown),
            replace(bad, kind="known-bug", claim=Text("upstream.known", {"id": name})),
        ),
        path=(frame, frame),
        growth=tuple(replace(growth, counts=(1, 2)) for growth in found.suspect.growth),
    )
    known = replace(
        found.known[0], id=name, module=name, found=name, fixed=(name,), upgrade_to=name, references=(f"javascript:{name}", f"https://{name}")
    )  # fmt: skip
    cause = found.cause
    assert cause is not None
    cause = replace(
        cause,
        sites=tuple(replace(site, role=unknown, frame=frame, code=name) for site in cause.sites),
        excerpts=tuple(replace(one, file=name, lines=(name, "```go", name)) for one in cause.excerpts),
        sources=(name,),
    )
    lead = replace(found.leads[0], module=name, running=name, changed=name, functions=(name,), diff=name)
    remedies = tuple(replace(one, diff=f"+{name}\n```\n") for one in found.remedies)
    found = changed(
        found,
        id=name,
        mechanism=unknown,
        suspect=suspect,
        known=(known,),
        cause=cause,
        leads=(lead,),
        remedies=remedies,
    )
    diagnosis = rich()
    return replace(
        diagnosis,
        processes=(ProcessRow("p1", name, Build(name, name, name, name, {name: name})), ProcessRow("p2", name)),
        moments=tuple(replace(row, label=name) for row in diagnosis.moments),
        findings=(found, replace(found, rank=2, id="x")),
        explained=(Explained(unknown, Text(name, {name: name}), (Site("blocked", frame, name, 3),)),),
        gaps=(Gap(Text("gap.source-missing", {"function": name}), Text(name), command=name),),
        inputs=(InputRow(name, name, name, LAST, None, (quoted(name, name, name),)),),
        timeline=tuple(Point("p1", None, name, totals={"goroutines": at}, inputs=(LAST,)) for at in (1, 2)),
        called=(name,),
    )


__all__ = ["EVIL", "hostile"]
