"""What somebody who reads a store asks of whoever writes it: look at a service now. A file each, below DIR/wanted.

Nothing of the store is touched: the watcher that writes it takes the files away, and decides itself what a look costs.
"""

import contextlib
import json
from hashlib import sha256
from pathlib import Path

from oakum.store import files
from oakum.store.lock import is_owned

_FOLDER = "wanted"
_MOST = 64  # that wait: of a watcher that takes none, no more are left
_LONGEST = 4096  # bytes


def is_written(directory: Path) -> bool:
    """Return whether some process writes the store now."""
    return is_owned(directory)


def want_look(directory: Path, service: str) -> bool:
    """Ask for a look at a service; return whether it could be asked."""
    folder = directory / _FOLDER
    data = json.dumps({"service": service}).encode()
    if len(data) > _LONGEST or len(_waiting(folder)) >= _MOST:
        return False
    try:
        folder.mkdir(exist_ok=True)
        files.write_new(folder / f"{sha256(service.encode('utf-8', 'replace')).hexdigest()[:32]}.json", data)
    except OSError:
        return False
    return True


def take_wanted(directory: Path) -> list[str]:
    """Return the services that a look is asked for, each once; they are not asked for any more."""
    found: list[str] = []
    for path in _waiting(directory / _FOLDER)[:_MOST]:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            if path.stat().st_size <= _LONGEST:
                found.append(str(json.loads(path.read_bytes()).get("service", "")))
        with contextlib.suppress(OSError):
            path.unlink()
    return [name for name in found if name]


def _waiting(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".json" and not path.name.startswith("."))
    except OSError:
        return []
