"""The bytes of an answer as they come -> one buffer: in memory, or, where there are many, in a file without a name."""

import mmap
import tempfile
from typing import BinaryIO

from oakum.model import Buffer, Text

_HELD = 8 << 20  # above it, a file: a hundred answers at once must fit into memory


class Body:
    """What came so far of an answer, up to a size."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._parts: list[bytes] = []
        self._file: BinaryIO | None = None
        self.size = 0
        self.full: Text | None = None  # why no more is taken

    def add(self, chunk: bytes) -> bool:
        """Take some bytes; tell whether more are welcome."""
        chunk = chunk[: self._most + 1 - self.size]
        over = self.size + len(chunk) > self._most
        if over:
            chunk = chunk[:-1]
            self.full = Text("web.cut-most", {"size": self._most})
        self.size += len(chunk)
        if self._file is None:
            self._parts.append(chunk)
            if self.size > _HELD:
                self._spill()
        else:
            try:
                _write(self._file, chunk)
            except OSError as error:
                self.size = self._file.tell()
                self._stop(error)
        return not self.full

    def data(self) -> Buffer:
        """Return the bytes, and let go of the file."""
        if self._file is None:
            return b"".join(self._parts)
        with self._file as file:
            return mmap.mmap(file.fileno(), self.size, access=mmap.ACCESS_READ)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _spill(self) -> None:
        """Go on in a file; where there is no room for it, what came stays in memory."""
        file: BinaryIO | None = None
        try:
            file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 (it outlives this function)
            for part in self._parts:
                _write(file, part)
        except OSError as error:
            if file is not None:
                file.close()
            self._stop(error)
            return
        self._file, self._parts = file, []

    def _stop(self, error: OSError) -> None:
        said = {"place": tempfile.gettempdir(), "error": error.strerror or str(error)}
        self.full = Text("web.cut-disk", {"size": self.size, **said})


def _write(file: BinaryIO, chunk: bytes) -> None:
    view = memoryview(chunk)
    while view:
        view = view[file.write(view) :]
