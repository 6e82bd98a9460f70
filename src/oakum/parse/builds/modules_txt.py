"""vendor/modules.txt -> Build: the modules that packages are vendored of, their versions, and these packages.

Out: one reading of kind "build", linked=False: it is what all programs of a module are built from, not one of them.
Modules without a package are named there too and are not built.
"""

from oakum.model import Buffer, Build, Reading
from oakum.parse.limits import Limits
from oakum.regex import regex

# # k8s.io/api v0.18.8      # k8s.io/api v0.0.0 => ./staging/src/k8s.io/api      # a.org/b v1.0.0 => a.org/fork v1.0.1
_MODULE = regex(r"# (\S{1,500}) (v\d\S{0,200})(?: => (\S{1,500})(?: (v\d\S{0,200}))?)?")
# # k8s.io/api => ./staging/src/k8s.io/api       at the end, of replacements for every version
_REPLACEMENT = regex(r"# \S{1,500}(?: v\S{1,200})? => \S{1,500}(?: v\S{1,200})?")
# ## explicit; go 1.17      ## workspace
_MARK = regex(r"## [a-z].{0,100}")
_PACKAGE = regex(r"[^\s#]\S{0,500}")
_MOST = 16 << 20  # bytes; kubernetes' own has 0.1 MB


def read(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
    """Return what a vendor/modules.txt says, or nothing when this is none."""
    del limits  # linear, and no longer than such a list can be
    if len(data) > _MOST or not _begins(bytes(data[: 8 << 10]).decode("utf-8", "replace")):
        return ()
    modules: dict[str, str] = {}
    replaced: dict[str, str] = {}
    packages: set[str] = set()
    here = None
    for text in bytes(data).decode("utf-8", "replace").split("\n"):
        line = text.rstrip()
        if found := _MODULE.fullmatch(line):
            here = found
        elif here and _PACKAGE.fullmatch(line):
            name, version, instead, new = here.groups()
            if line != name and not line.startswith(f"{name}/"):
                continue
            packages.add(line)
            modules[name] = (new or "(replaced)") if instead else version
            if instead:
                replaced[name] = instead
    if not modules:
        return ()
    build = Build(modules=modules, replaced=replaced, packages=frozenset(packages), linked=False)
    return (Reading(kind="build", format="modules.txt", build=build),)


def _begins(head: str) -> bool:
    """Tell whether the first lines are of a modules.txt; a heading in a document looks like one of them alone."""
    first = head.partition("\n")[0].rstrip()
    if not (_MODULE.fullmatch(first) or first == "## workspace"):
        return False
    lines = [line.rstrip() for line in head.split("\n")[:-1] or [head]]
    shapes = (_MODULE, _REPLACEMENT, _MARK, _PACKAGE)
    return len(lines) > 1 and all(any(shape.fullmatch(line) for shape in shapes) for line in lines if line)
