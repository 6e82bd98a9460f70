"""Versions of Go modules and of Go itself, ordered as Go orders them.

Comes in: versions as build information, go.mod and file paths write them: v1.2.3, v1.2.3-rc.1, v2.0.0+incompatible,
v0.0.0-20191016111102-bec269661e48, v1.2.4-0.20191016111102-bec269661e48, go1.21rc2. What is no version has no order.
"""

from functools import lru_cache

from msgspec import Struct

from oakum.regex import regex

# v1.2.3-rc.1+incompatible   1.2.3   v1.17   2.6.0-rc1
_VERSION = regex(
    r"^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:-([0-9A-Za-z.-]{1,256}))?(?:\+([0-9A-Za-z.-]{1,256}))?$"
)
# v0.0.0-20191016111102-bec269661e48   v1.2.4-0.20191016111102-bec269661e48   v1.2.3-pre.0.20191016111102-bec269661e48
_PSEUDO = regex(r"^(?:.*\.)?(\d{14})-[0-9a-f]{12}$")
# go1.21rc2   go1.19.8   go1.26.8 X:nodwarf5   go1.20.5b7 (Google's)
_GO = regex(r"^go(\d{1,6})(?:\.(\d{1,6}))?(?:\.(\d{1,6}))?(?:(alpha|beta|rc)(\d{1,6}))?\b")
# devel go1.27-3f1a2b Mon Jan ...
_GO_DEVEL = regex(r"^devel go(\d{1,6})\.(\d{1,6})-")

Order = tuple[int, int, int, tuple[tuple[int, int, str], ...]]
_RELEASE = ((2, 0, ""),)  # after every pre-release


class Version(Struct, frozen=True):
    major: int
    minor: int
    patch: int
    pre: str = ""  # "rc.1"; of a pseudo-version "0.20191016111102-bec269661e48"
    build: str = ""  # "incompatible", "k3s1": without a part in the order

    @property
    def order(self) -> Order:
        return self.major, self.minor, self.patch, _pre(self.pre)

    @property
    def line(self) -> tuple[int, int]:
        """Return the release line that fixes are ported to."""
        return self.major, self.minor

    @property
    def base(self) -> "Version":
        """Return the release that a pre-release or pseudo-version comes before."""
        return Version(self.major, self.minor, self.patch)

    @property
    def committed(self) -> str:
        """Return the day of a pseudo-version's commit, "2019-10-16"; "" for a release."""
        found = _PSEUDO.match(self.pre)
        return f"{found[1][:4]}-{found[1][4:6]}-{found[1][6:8]}" if found else ""

    def __str__(self) -> str:
        pre, build = f"-{self.pre}" if self.pre else "", f"+{self.build}" if self.build else ""
        return f"v{self.major}.{self.minor}.{self.patch}{pre}{build}"


def _pre(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return the order of a pre-release: numbers before words, a shorter one before a longer one that begins alike."""
    if not text:
        return _RELEASE
    parts = text.split(".")
    return tuple((0, int(part), "") if part.isdecimal() and len(part) < 20 else (1, 0, part) for part in parts)


NONE = Version(0, 0, 0)


@lru_cache(maxsize=4096)
def version(text: str | None) -> Version | None:
    """Return the version that a text is, a module's or Go's; None when it is none: "(devel)", "", "latest"."""
    if not text:
        return None
    if found := _GO.match(text):
        pre = f"{found[4]}.{found[5]}" if found[4] else ""
        return Version(int(found[1]), int(found[2] or 0), int(found[3] or 0), pre)
    if found := _GO_DEVEL.match(text):
        return Version(int(found[1]), int(found[2]), 0, "devel")
    if found := _VERSION.match(text):
        return Version(int(found[1]), int(found[2] or 0), int(found[3] or 0), found[4] or "", found[5] or "")
    return None
