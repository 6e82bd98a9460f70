"""go.sum -> Build: the modules whose code was downloaded, each in its highest version.

Out: one reading of kind "build", linked=False. A line that ends in /go.mod tells that only the requirements of a
version were looked at, and is passed over.
"""

import re
from types import MappingProxyType

from oakum.model import Buffer, Build, Reading
from oakum.parse.limits import Limits

# github.com/pkg/errors v0.9.1 h1:FEBLx1zS214owpjy7qsBeixbURkuhQAwrK5UwLGTwt4=
# github.com/pkg/errors v0.9.1/go.mod h1:bwawxfHBFNV+L2hUp1rHADufV3IMtnDRdf1r5NINEl0=
_LINE = re.compile(r"(\S{1,500}) (v\d\S{0,200}?)(/go\.mod)? h1:[0-9A-Za-z+/]{43}=")
_MOST = 16 << 20  # bytes; large ones have 0.5 MB
_NAMED = 5  # modules in a remark


def read(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
    """Return what a go.sum says, or nothing when this is none."""
    del limits  # linear, and no longer than a go.sum can be
    head = bytes(data[: 64 << 10]).decode("utf-8", "replace").lstrip()
    if len(data) > _MOST or not _LINE.fullmatch(head.partition("\n")[0].rstrip()):
        return ()
    versions: dict[str, list[str]] = {}
    lines = [line.rstrip() for line in bytes(data).decode("utf-8", "replace").split("\n") if line.strip()]
    found = [line for text in lines if (line := _LINE.fullmatch(text))]
    if len(found) < len(lines) / 2:
        return ()
    for name, version, requirements in (line.groups() for line in found):
        if not requirements:
            versions.setdefault(name, []).append(version)
    several = [name for name, all_of_them in versions.items() if len(all_of_them) > 1]
    notes = {}
    if several:
        more = f" and {len(several) - _NAMED} more" if len(several) > _NAMED else ""
        notes["in several versions, the highest taken"] = ", ".join(several[:_NAMED]) + more
    # The go command writes the versions of a module lowest first.
    build = Build(modules={name: all_of_them[-1] for name, all_of_them in versions.items()}, linked=False)
    return (Reading(kind="build", format="go.sum", build=build, notes=MappingProxyType(notes)),)
