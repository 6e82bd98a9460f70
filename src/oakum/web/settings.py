"""How a server runs: which store, on which address, who may use it, and what it may do."""

from collections.abc import Callable
from pathlib import Path
from time import time

from msgspec import Struct

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class Settings(Struct, frozen=True, kw_only=True):
    """What `oakum serve` was told. `token`: what others than this machine must know; "": nobody must."""

    store: Path
    host: str = "127.0.0.1"
    port: int = 0
    names: tuple[str, ...] = LOOPBACK  # of the Host header, without port
    token: str = ""
    read_only: bool = False
    secure: bool = False  # by TLS
    lang: str = "en"  # of who says nothing else
    clock: Callable[[], float] = time

    def now(self) -> int:
        """Return the time in microseconds, as the store has it."""
        return round(self.clock() * 1e6)

    def __repr__(self) -> str:  # the token is in no message
        return f"Settings({self.store}, {self.host}:{self.port})"
