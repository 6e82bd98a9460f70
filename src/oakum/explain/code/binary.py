"""The packages of a source tree -> those that can be in the program whose stacks were captured.

Comes in: the own packages of a tree, which may hold many programs, and own frames of one that runs. Goes out: what the
programs import that have all of these frames; without frames, everything. Import paths are matched to folders by their
last names, as nothing else says which module a folder belongs to.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from oakum.model import Frame, SourceText

_QUOTED = re.compile(rb'"([\w.~+-]+(?:/[\w.~+-]+)*)"')
_BEHIND = re.compile(rb"^(?:func|type|var|const)\b", re.MULTILINE)
_MAIN = re.compile(rb"^package main\b", re.MULTILINE)

Files = tuple[SourceText, ...]


def of_program(packages: Sequence[Files], frames: Iterable[Frame]) -> list[Files]:
    """Return the packages that belong to whichever programs have all of the frames."""
    own = [frame for frame in frames if frame.owner == "own" and frame.file]
    folders = [_folder(files[0].name) for files in packages]
    begin = _of_frames(own, folders)
    if not begin:
        return list(packages)
    graph = _graph(packages, folders)
    mains = [at for at, files in enumerate(packages) if any(_MAIN.search(file.data) for file in files)]
    reached = {at: _reach({at}, graph) for at in mains}
    programs = [found for found in reached.values() if begin <= found]
    back = {at: {one for one, others in graph.items() if at in others} for at in range(len(packages))}
    if not programs:  # a library, or tests of one, has no main; of several programs each has its part
        programs = [_reach(begin, graph), _reach(begin, back), *(found for found in reached.values() if begin & found)]
    wanted = set[int]().union(*programs)
    return [files for at, files in enumerate(packages) if at in wanted]


def meant(packages: Sequence[Files]) -> list[dict[str, int]]:
    """Return, for each package, which of the others its import paths mean; paths that may mean several are left out."""
    folders = [_folder(files[0].name) for files in packages]
    paths = [sorted({path for file in files for path in _imports(file.data)}) for files in packages]
    tails = _tails(folders)
    roots = _roots({path for some in paths for path in some}, tails, folders)
    found = [{path: _meant(path, tails, roots) for path in some} for some in paths]
    return [{path: min(numbers) for path, numbers in some.items() if len(numbers) == 1} for some in found]


def _folder(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[0]


def _of_frames(frames: Iterable[Frame], folders: Sequence[str]) -> set[int]:
    """Return the packages that frames stand in: by the folder of their file, as captures name it."""
    wanted = {_folder(frame.file) for frame in frames}
    return {at for at, folder in enumerate(folders) if folder in wanted}


def _graph(packages: Sequence[Files], folders: Sequence[str]) -> dict[int, set[int]]:
    paths = [sorted({path for file in files for path in _imports(file.data)}) for files in packages]
    tails = _tails(folders)
    roots = _roots({path for some in paths for path in some}, tails, folders)
    return {at: {one for path in some for one in _meant(path, tails, roots)} for at, some in enumerate(paths)}


def _tails(folders: Sequence[str]) -> dict[str, set[int]]:
    """Return the packages by each end of their folders."""
    tails: dict[str, set[int]] = {}
    for at, folder in enumerate(folders):
        names = folder.strip("/").split("/")
        for begin in range(len(names)):
            tails.setdefault("/".join(names[begin:]), set()).add(at)
    return tails


def _imports(data: bytes) -> Iterable[str]:
    behind = _BEHIND.search(data)
    head = data[: behind.start()] if behind is not None else data
    return (path.decode() for path in _QUOTED.findall(head))


def _longest(path: str, tails: Mapping[str, set[int]]) -> str:
    """Return the longest end of an import path that is the end of a folder: internal/pool."""
    while path and path not in tails:
        path = path.partition("/")[2]
    return path


def _roots(paths: Iterable[str], tails: Mapping[str, set[int]], folders: Sequence[str]) -> dict[str, set[int]]:
    """Return the packages at the root of a module, whose folder may have any name, by the module's path."""
    numbers = {folder: at for at, folder in enumerate(folders)}
    found: dict[str, set[int]] = {}
    for path in paths:
        tail = _longest(path, tails)
        for at in tails.get(tail, ()):
            root = folders[at].removesuffix(tail).rstrip("/")
            if root in numbers and tail != path:
                found.setdefault(path.removesuffix(tail).rstrip("/"), set()).add(numbers[root])
    return found


def _meant(path: str, tails: Mapping[str, set[int]], roots: Mapping[str, set[int]]) -> set[int]:
    # The standard library's names are too short to tell: "log" is no folder internal/log.
    if "/" not in path and "." not in path:
        return roots.get(path, set())
    return tails.get(_longest(path, tails), set()) | roots.get(path, set())


def _reach(begin: set[int], graph: Mapping[int, set[int]]) -> set[int]:
    seen, todo = set(begin), list(begin)
    while todo:
        for one in graph.get(todo.pop(), ()):
            if one not in seen:
                seen.add(one)
                todo.append(one)
    return seen
