"""A store whose manifest is lost or damaged -> the manifest that its parts and its log make, and what is wrong.

Parts that cannot be read are left out. What the lost manifest no longer named may be there twice.
"""

import re
from pathlib import Path
from typing import cast

from oakum.model import StoreError, Text
from oakum.store import engine, files, log
from oakum.store.manifest import NAME, Level, Manifest, Part, read_manifest
from oakum.store.parts import window_length
from oakum.store.rows import TABLES

# raw-20260528T20-00000002.parquet
_NAME = re.compile(r"(raw|hour|day)-[\w-]+-(\d{8,12})\.parquet")


def manifest_of(directory: Path) -> tuple[Manifest | None, tuple[Text, ...]]:
    """Return the manifest of a store and what is missing; None when there is no store."""
    if directory.exists() and not directory.is_dir():
        return None, (Text("store.no-directory", {"path": str(directory)}),)
    problems: list[Text] = []
    try:
        manifest = read_manifest(directory)
    except StoreError as error:
        if error.text.key != "store.damaged-manifest":
            raise
        manifest = None
        problems.append(error.text)
    if manifest is not None:
        return manifest, ()
    numbers = log.numbers(directory)
    found = _parts(directory, problems)
    if not found and not any(log.size_of(directory, one) for one in numbers):
        return None, tuple(problems)
    if not problems:
        problems.append(Text("store.no-manifest", {"path": str(directory / NAME)}))
    newest = max((int(match[2]) for part in found if (match := _NAME.search(part.file))), default=0)
    return Manifest(log=min(numbers, default=1), number=newest, parts=tuple(found)), tuple(problems)


def _parts(directory: Path, problems: list[Text]) -> list[Part]:
    import duckdb

    found: list[Part] = []
    names = sorted(path for path in directory.glob("parts/*/*.parquet") if not path.name.startswith(files.TEMPORARY))
    if not names:
        return found
    connection = engine.connect(directory)
    for path in names:
        file, table = path.relative_to(directory).as_posix(), TABLES.get(path.parent.name)
        match = _NAME.fullmatch(path.name)
        if table is None or match is None:
            continue
        level = cast(Level, match[1])
        every = ", ".join(f"min({one})" for one in table.stored)  # reads each column, so that damage shows
        sql = f"""SELECT count(*), min({table.time}), max({table.time}), {every}
            FROM ({engine.part_rows(table, engine.path_list(directory, [file]))})"""
        try:
            rows, low, high, *_ = connection.execute(sql).fetchone() or (0, 0, 0)
        except duckdb.Error:
            problems.append(Text("store.unread-part", {"file": file}))
            continue
        length = window_length(table, level)
        size, crc = engine.crc_of(path)
        found.append(
            Part(
                file=file,
                table=table.name,
                level=level,
                window=low // length * length,
                rows=rows,
                bytes=size,
                low=low,
                high=high,
                crc=crc,
            )
        )
    connection.close()
    return found
