"""Sites of a cause -> a few lines of each file around them, the decisive ones marked."""

from collections.abc import Iterable, Sequence

from oakum.model import CauseRole, CauseSite, Excerpt, SourceText

_AROUND = 2  # lines before and after a marked one
_APART = 5  # marked lines that are nearer than this are shown in one piece
_MOST = 6


def excerpts(sites: Sequence[CauseSite], files: Iterable[SourceText]) -> tuple[Excerpt, ...]:
    """Return the excerpts of a cause, in the order in which its sites first name the files."""
    texts = {file.name: file for file in files}
    found: list[Excerpt] = []
    for name in dict.fromkeys(site.frame.file for site in sites):
        if name not in texts:
            continue
        lines = texts[name].data.decode("utf-8", "replace").split("\n")
        marks = {site.frame.line: site.role for site in reversed(sites) if site.frame.file == name}
        found += [_excerpt(name, lines, group, marks) for group in _groups(sorted(marks))]
    return tuple(found[:_MOST])


def _groups(numbers: Sequence[int]) -> list[list[int]]:
    groups: list[list[int]] = []
    for number in numbers:
        if groups and number - groups[-1][-1] <= _APART:
            groups[-1].append(number)
        else:
            groups.append([number])
    return groups


def _excerpt(name: str, lines: Sequence[str], group: Sequence[int], marks: dict[int, CauseRole]) -> Excerpt:
    first = max(1, group[0] - _AROUND)
    last = min(len(lines), group[-1] + _AROUND)
    shown = [one.removesuffix("\r") for one in lines[first - 1 : last]]
    while shown and not shown[0].strip():
        shown.pop(0)
        first += 1
    while shown and not shown[-1].strip():
        shown.pop()
    return Excerpt(name, first, tuple(shown), {number: marks[number] for number in group})
