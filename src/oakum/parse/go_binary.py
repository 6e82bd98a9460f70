"""A program (ELF, Mach-O, PE) -> the build that Go's linker noted in it, and which functions are linked into it.

In: the file as it is, stripped or not, of Go 1.12 and later. Out: one reading of kind "build"; of kind "unknown" with
what it is when it is a program that tells of no build. Runs nothing, and reads only the parts that tell.
"""

from collections.abc import Iterable
from types import MappingProxyType

from msgspec.structs import replace

from oakum.model import Buffer, Problem, Reading
from oakum.parse.binaries import build_info, elf, function_names, macho, pe
from oakum.parse.binaries.image import Image
from oakum.parse.build_text import build_of
from oakum.parse.foreign import name_foreign
from oakum.parse.limits import Limits


def read(data: Buffer, limits: Limits) -> tuple[Reading, ...]:
    """Return the build that a program notes, or what else it is; () when this is no program."""
    del limits  # each part is looked at once, and lists in headers are bounded
    images = _images(data)
    for image in images:
        if found := build_info.read(image):
            return (_reading(image, found),)
    if images:
        return (_other(images[0]),)
    if bytes(data[:4]) == elf.MAGIC and (core := name_foreign(data)):  # gigabytes in which no text is to be looked for
        return (Reading(kind="unknown", format="unknown", problems=(core,)),)
    return ()


def listing(data: Buffer, program: str) -> str | None:
    """Return what `go version -m PROGRAM` prints of a program; None when Go did not build it, or it tells nothing."""
    for image in _images(data):
        if (found := build_info.read(image)) and found.version:
            lines = [f"\t{line}" for line in (found.lines or "").split("\n") if line]
            return "\n".join([f"{program}: {found.version}", *lines, ""])
    return None


def names(data: Buffer, wanted: Iterable[str]) -> frozenset[str] | None:
    """Return which of these functions are linked into the program; None when there is no telling."""
    wanted = tuple(wanted)
    for image in _images(data):
        if (found := function_names.names(image, wanted)) is not None:
            return found
    return None


def _images(data: Buffer) -> tuple[Image, ...]:
    magic = bytes(data[:4])
    if magic in macho.UNIVERSAL:
        return macho.universal(data)
    if magic == elf.MAGIC:
        image = elf.read(data)
    elif magic in macho.MAGICS:
        image = macho.read(data)
    else:
        image = pe.read(data) if magic[:2] == pe.MAGIC else None
    return (image,) if image else ()


def _reading(image: Image, found: build_info.BuildInfo) -> Reading:
    build = build_of((found.lines or "").split("\n"), found.version)
    notes = {"file": "{system} {kind} ({machine})".format(**image.called)}
    problems = [_cut(image, "cut-program")] if image.missing else []
    if build.main is None and not build.modules:
        # The go command names no modules of what it builds outside of one, though there may be some in it.
        build = replace(build, modules=None, replaced=None)
        if found.lines is None:
            problems.append(Problem.of("damaged-program"))
        elif found.version is None:
            problems.append(Problem.of("no-build-information"))
        else:
            notes["modules"] = "unknown: it was built outside a module"
    return Reading(
        kind="build",
        format="go-binary",
        producer="Go",
        go_version=build.go,
        build=build,
        notes=MappingProxyType(notes),
        problems=tuple(problems),
    )


def _other(image: Image) -> Reading:
    """Return the reading of a program in which nothing of Go was found."""
    if image.missing:
        problem = _cut(image, "cut-program.nothing")
    elif b"UPX!" in bytes(image.data[:4096]):
        problem = Problem.of("not-a-profile.packed", **image.called)
    else:
        problem = Problem.of("not-a-profile.not-go", **image.called)
    return Reading(kind="unknown", format="unknown", problems=(problem,))


def _cut(image: Image, name: str) -> Problem:
    size = len(image.data)
    return Problem.of(name, f"byte {size}", read=size, missing=image.missing, **image.called)
