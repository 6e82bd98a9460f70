"""An address that names one profile exactly, as `go tool pprof` takes it -> what to ask for, and as which file.

http://h:6060/debug/pprof/heap, .../goroutine?debug=2, .../profile?seconds=5: just that is taken.
"""

from urllib.parse import parse_qsl

from msgspec import Struct

from oakum.model import UsageError

_KNOWN = frozenset({
    "allocs", "block", "goroutine", "goroutineleak", "heap", "mutex", "profile", "threadcreate", "trace",
})  # fmt: skip
_NEVER = {
    "cmdline": "it contains the command line, with any secrets in it",
    "symbol": "it is no profile",
}
_QUERY = frozenset({"debug", "gc", "seconds"})
_LONGEST = 3600.0  # seconds that a profile may take to be made


class OneProfile(Struct, frozen=True):
    path: str  # "/debug/pprof/heap"
    query: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """Return what it is called: heap."""
        return self.path.rsplit("/", 1)[-1]

    @property
    def prefix(self) -> str:
        """Return where it lies: /debug/pprof."""
        return self.path.rsplit("/", 1)[0]

    @property
    def key(self) -> str:
        return f"{self.path}{'?' if self.query else ''}{'&'.join(f'{name}={value}' for name, value in self.query)}"

    @property
    def debug(self) -> str:
        """Return its level of debug; "0" is protobuf."""
        return dict(self.query).get("debug", "0")

    @property
    def is_dump(self) -> bool:
        """Tell whether the program stands still for it: all stacks, printed."""
        return self.name == "goroutine" and self.debug not in ("0", "1")

    @property
    def file(self) -> str:
        if self.name == "trace":
            return "trace.out"
        return f"{self.name}.pb.gz" if self.debug == "0" else f"{self.name}.debug{self.debug}.txt"

    @property
    def seconds(self) -> float:
        """Return how long the program measures before it answers."""
        return float(dict(self.query).get("seconds", "30" if self.name == "profile" else "0"))


def one_profile(word: str, path: str, query: str) -> OneProfile | None:
    """Return the profile that a word names; None when its path is a place where pprof may be."""
    name = path.rsplit("/", 1)[-1]
    if why := _NEVER.get(name):
        raise UsageError(f"{word}: {name} is not taken: {why}")
    given = parse_qsl(query, keep_blank_values=True)
    if name not in _KNOWN and not (given and name):
        return None
    for key, value in given:
        if key not in _QUERY:
            raise UsageError(
                f"{path}?{key}=...: only debug, gc and seconds are allowed here; "
                "pass credentials by --token or --header, so that they are not stored"
            )
        if not (value.isdecimal() and value.isascii() and float(value) <= _LONGEST):
            raise UsageError(f"{path}?{key}=...: {key} is a number up to {_LONGEST:.0f}")
    return OneProfile(path, tuple(given))
