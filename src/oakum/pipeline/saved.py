"""A file that holds a saved diagnosis -> its JSON document: a .json, or an HTML page that carries it. By content."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from oakum.model import Text
from oakum.model.errors import Unreachable, Unreadable

if TYPE_CHECKING:
    from oakum.model import Diagnosis

_MOST = 64 << 20  # bytes of a saved diagnosis: of 100,000 captures it has 20 MB; read, it takes ten times as much
_AGAIN = "oakum diagnose -o report.json writes one"
# What we write for people and for other programs: it cannot be read back.
_ONE_WAY = {".md": "Markdown", ".markdown": "Markdown", ".txt": "Text", ".xml": "JUnit", ".sarif": "SARIF"}


class SavedFile(Struct, frozen=True):
    """A saved diagnosis: where it was read, its document, and the page around it where there is one."""

    name: str
    document: dict[str, Any]
    page: str | None = None

    @property
    def compares(self) -> bool:
        """Tell whether it is what `oakum verify` wrote: two diagnoses, before and after."""
        from oakum.report.verification import is_verification

        return is_verification(self.document)

    @property
    def folder(self) -> Path:
        return Path.cwd() if self.name == "-" else Path(self.name).absolute().parent

    def diagnosis(self) -> "Diagnosis":
        """Return the diagnosis; raise where the document is not as one is written."""
        from oakum.report.json import diagnosis

        if self.compares:
            raise Unreadable(f"{self.name}: this compares two diagnoses; oakum report shows it")
        try:
            return diagnosis(self.document)
        except Unreadable as error:
            raise Unreadable(f"{self.name}: {error}; write it again: oakum diagnose -o NAME.json") from error


def load(name: str) -> SavedFile:
    """Return the diagnosis that a file, or standard input, holds; raise with what it is instead."""
    text = _read(name)
    try:
        return _held(name, text)
    except Unreadable as error:
        if kind := _ONE_WAY.get(Path(name).suffix.lower()):
            raise Unreadable(f"{name}: {kind} is not an Oakum report; {_instead(Path(name))}") from error
        raise


def _instead(path: Path) -> str:
    """Return what to give in place of a report that cannot be read back."""
    beside = [str(one) for ending in (".json", ".html") if (one := path.with_suffix(ending)).is_file()]
    if beside:
        return f"give what was written with it: {beside[0]}"
    return f"give the .json or .html that was written with it; {_AGAIN}"


def _held(name: str, text: str) -> SavedFile:
    page = text if text.lstrip()[:1] == "<" else None
    if page is not None:
        from oakum.report.html.embedded import embedded

        carried = embedded(page)
        if carried is None:
            raise Unreadable(f"{name}: this page contains no diagnosis (a very long one is left out); {_AGAIN}")
        text = carried
    try:
        document = json.loads(text, parse_constant=_refused)
    except RecursionError:
        raise Unreadable(f"{name}: nested too deeply for a diagnosis; {_AGAIN}") from None
    except ValueError as error:
        raise Unreadable(
            f"{name}: not an Oakum report: neither JSON nor an HTML report ({str(error)[:120]}); {_AGAIN}"
        ) from None
    from oakum.report.json import is_saved
    from oakum.report.verification import is_verification

    if not is_saved(document) and not is_verification(document):
        raise Unreadable(f"{name}: JSON, but not a saved diagnosis; {_AGAIN}")
    return SavedFile(name, document, page)


def looks_saved(name: str) -> SavedFile | None:
    """Return the diagnosis if a file holds one; evidence is read elsewhere, and complained about there."""
    path = Path(name)
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            if file.read(64).lstrip()[:1] not in (b"{", b"<"):
                return None
        found = load(name)
        return None if found.compares else found
    except (OSError, Unreadable, Unreachable):
        return None


def _read(name: str) -> str:
    if name == "-":
        if sys.stdin is None:
            raise Unreachable(Text("target.closed-input"), name)
        data = sys.stdin.buffer.read(_MOST + 1)
    else:
        try:
            path = Path(name)
            if path.is_dir():
                raise Unreadable(f"{name}: this is a directory; name the report in it")
            with path.open("rb") as file:
                data = file.read(_MOST + 1)
        except (OSError, ValueError) as error:
            why = Text("web.quoted", {"said": getattr(error, "strerror", None) or str(error)})
            raise Unreachable(Text("target.saved", {"name": name, "why": why}), name) from error
    if len(data) > _MOST:
        raise Unreadable(f"{name}: larger than {_MOST >> 20} MiB: not an Oakum report")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable(f"{name}: not an Oakum report (neither JSON nor HTML); {_AGAIN}") from None


def _refused(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON")
