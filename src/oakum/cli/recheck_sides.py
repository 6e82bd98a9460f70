"""oakum report --recheck of before and after: both diagnoses derived again, and what follows from them.

Exit 0 identical, 1 differs, 4 evidence that it was made with is not there.
"""

import json
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from oakum.cli.outputs import Output
from oakum.cli.recheck import rechecked, tell
from oakum.cli.verify_sides import rendered, saved_sides
from oakum.pipeline.saved import SavedFile
from oakum.report.differences import Difference, counted, differences, page_differences
from oakum.report.html.embedded import kept
from oakum.report.recheck import Rechecked
from oakum.report.verification import document
from oakum.verify import verify

_FOLLOWS = ("verdict", "changes", "notes")


def recheck_sides(saved: SavedFile, evidence: Sequence[str], lang: str, as_json: bool) -> int:
    """Derive both sides again and what they say together, print what differs, and return the exit code."""
    saved_sides(saved)  # raises for what is not written as one
    parts = [
        (side, rechecked(SavedFile(saved.name, saved.document[side]), evidence, (), lang))
        for side in ("before", "after")
    ]
    found = _joined(saved.name, parts)
    again = json.loads(json.dumps(document(verify(*saved_sides(saved))), ensure_ascii=False))
    stored, derived = ({name: one.get(name) for name in _FOLLOWS} for one in (saved.document, again))
    count = counted(derived)
    found = replace(
        found,
        numbers=found.numbers + count.numbers,
        sentences=found.sentences + count.sentences,
        differences=(*found.differences, *differences(stored, derived)),
    )
    return tell(_with_page(found, saved), saved.name, lang, as_json)


def _joined(name: str, parts: Sequence[tuple[str, Rechecked]]) -> Rechecked:
    """Return what was found on both sides as one result; each path says which side it is of."""

    def of(side: str, one: Difference) -> Difference:
        return replace(one, path=f"{side}.{one.path}")

    def every(field: str) -> tuple[Any, ...]:
        return tuple(of(side, one) for side, found in parts for one in getattr(found, field))

    sides = [found for _, found in parts]
    return Rechecked(
        name,
        sum(one.captures for one in sides),
        sum(one.numbers for one in sides),
        sum(one.sentences for one in sides),
        missing=tuple(name for one in sides for name in one.missing),
        gone={word: count for one in sides for word, count in one.gone.items()},
        changed=tuple(difference for one in sides for difference in one.changed),
        extra=tuple(dict.fromkeys(name for one in sides for name in one.extra)),
        differences=every("differences"),
        open=tuple((why, of(side, one)) for side, found in parts for why, one in found.open),
        made_by=sides[0].made_by,
        tool=sides[0].tool,
    )


def _with_page(found: Rechecked, saved: SavedFile) -> Rechecked:
    """Return what was found with what the page shows otherwise than what it carries."""
    if saved.page is None:
        return found
    lang = "zh" if '<html lang="zh' in saved.page[:2000] else "en"
    text = rendered(verify(*saved_sides(saved)), Output("-", "html"), lang, kept(saved.page))
    if text == saved.page:
        return replace(found, paged=True)
    told = page_differences(saved.page, text)
    return replace(found, page=tuple(told), paged=True, markup=not told and found.made_by == found.tool)
