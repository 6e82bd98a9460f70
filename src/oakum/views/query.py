"""What to show of a profile: pprof's options under pprof's names, and which of its sample types is meant.

Refuses a sample index that the profile does not have, and names those it has.
"""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from oakum.model import Profile, UsageError

Granularity = Literal["functions", "filefunctions", "files", "lines", "addresses"]
View = Literal["top", "tree", "peek", "list", "traces", "graph"]


class Query(Struct, frozen=True):
    """pprof's options; the defaults are pprof's own. Empty text means the option was not given."""

    sample_index: str = ""
    mean: bool = False
    divide_by: float = 1.0
    unit: str = "minimum"

    focus: str = ""
    ignore: str = ""
    show: str = ""
    hide: str = ""
    show_from: str = ""
    prune_from: str = ""
    tagfocus: str = ""
    tagignore: str = ""
    tagshow: str = ""
    taghide: str = ""
    tagroot: str = ""
    tagleaf: str = ""

    granularity: Granularity = "functions"
    noinlines: bool = False
    showcolumns: bool = False
    sort: Literal["flat", "cum"] = "flat"
    nodecount: int = -1  # -1: what the view does by default
    nodefraction: float = 0.005
    edgefraction: float = 0.001
    trim: bool = True
    call_tree: bool = False
    relative_percentages: bool = False
    drop_negative: bool = False
    compact_labels: bool = False
    source_path: str = ""
    trim_path: str = ""

    def fitted(self, view: View) -> "Query":
        """Return the query with what pprof changes for one kind of report: peek and list trim nothing."""
        nodecount = self.nodecount
        if nodecount == -1 and view not in ("peek", "list"):
            nodecount = 0 if view == "top" else 80
        query = replace(self, nodecount=nodecount)
        if view == "list":
            query = replace(query, granularity="lines")
        if not self.trim or view in ("peek", "list"):
            query = replace(query, nodecount=0, nodefraction=0.0, edgefraction=0.0)
        return query


# The filters in the order in which pprof lists them under "Active filters:".
FILTERS = ("focus", "ignore", "hide", "show", "show_from", "tagfocus", "tagignore", "tagshow", "taghide")


def active_filters(query: Query) -> tuple[str, ...]:
    """Return the filters in force, as "focus=regexp"."""
    return tuple(f"{name}={getattr(query, name)}" for name in FILTERS if getattr(query, name))


def sample_index(profile: Profile, wanted: str) -> int:
    """Return the row of `profile.values` that a name or number means; "" is the profile's own default."""
    names = [t.type for t in profile.sample_types]
    if not names:
        raise UsageError("the profile has no sample types: there is nothing to count")
    if not wanted:
        if profile.default_sample_type in names:
            return names.index(profile.default_sample_type)
        return len(names) - 1
    if wanted.removeprefix("-").removeprefix("+").isdecimal():
        index = int(wanted)
        if not 0 <= index < len(names):
            raise UsageError(f"-sample_index={wanted} is outside the range [0..{len(names) - 1}]")
        return index
    # -inuse_space of old pprof also means a column called "space".
    for index, name in enumerate(names):
        if name in (wanted, wanted.removeprefix("inuse_")):
            return index
    raise UsageError(f"-sample_index={wanted}: this profile has {', '.join(names)}")
