"""Services: every service of the store, worst first, with its growth; sorted, filtered and paged by the server."""

from typing import Any

from starlette.responses import Response

from oakum.web.overview import SORTS, VERDICTS, Sort, Wanted, chosen
from oakum.web.visit import Visit, get

PAGE = 50  # rows


async def show(visit: Visit) -> Response:
    title = visit.word("serve.services")
    summary = await visit.overview()
    if not summary.services:
        return visit.page("empty.html", title=title, here="services", path=str(visit.settings.store))
    wanted = wanted_of(visit)
    found = chosen(summary.services, wanted)
    pages = max(1, -(-len(found) // PAGE))
    number = min(visit.number("page", 1, 1, 1_000_000), pages)
    return visit.page(
        "services.html",
        title=title,
        here="services",
        summary=summary,
        wanted=wanted,
        rows=found[(number - 1) * PAGE : number * PAGE],
        first=(number - 1) * PAGE,
        total=len(found),
        number=number,
        pages=pages,
        columns=_columns(visit, wanted),
        sorts=SORTS,
        verdicts=VERDICTS,
    )


def wanted_of(visit: Visit) -> Wanted:
    """Return what the address asks for; what it says wrongly is taken as not said."""
    sort: Sort = next((one for one in SORTS if one == visit.query.get("sort")), "verdict")
    verdict = visit.query.get("verdict", "")
    return Wanted(
        visit.query.get("q", "")[:200].strip(),
        verdict if verdict in VERDICTS else "",
        sort,
        visit.query.get("order") == "reverse",
    )


def _columns(visit: Visit, wanted: Wanted) -> list[dict[str, Any]]:
    """Return the heads of the columns: what sorting by each is, and how it is sorted now."""
    heads: tuple[Sort, ...] = ("verdict", "service", "goroutines-growth", "heap-growth", "limit", "seen")
    return [
        {
            "key": sort,
            "to": visit.here(sort=sort, order="" if wanted.sort != sort or wanted.falling else "reverse", page=""),
            "state": "" if wanted.sort != sort else "ascending" if _rises(sort) != wanted.falling else "descending",
        }
        for sort in heads
    ]


def _rises(sort: Sort) -> bool:
    return sort in ("service", "limit", "since")


ROUTES = (get("/", show),)
