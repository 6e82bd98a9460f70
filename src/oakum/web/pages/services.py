"""Services: what a store remembers, worst first."""

from typing import Any

from starlette.responses import Response

from oakum.store.reader import Reader
from oakum.web.visit import Visit, get


async def show(visit: Visit) -> Response:
    if not visit.records.present:
        return visit.page("empty.html", title=visit.word("serve.services"), here="services", path=visit.settings.store)
    rows = await visit.ask(_services)
    return visit.page("services.html", title=visit.word("serve.services"), here="services", rows=rows)


def _services(reader: Reader) -> list[dict[str, Any]]:
    columns = reader.services()
    values = [column.tolist() for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]


ROUTES = (get("/", show),)
