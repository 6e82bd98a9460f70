"""Which versions of a module have a known bug: yes, no, or not to be told from the version alone.

A fix comes to several release lines: v1.16.1 has the leak, v1.15.5 and v1.17.0 have the fix. So a version is fixed
when it is not below the fix of its own line, or not below the last of all.
"""

import re
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from oakum.knowledge.versions import Version, version

# Up to Kubernetes 1.15 it had numbers of its own: v11.0.0+incompatible belongs to 1.14.
_CLIENT_GO = "k8s.io/client-go"

Answer = Literal["yes", "no", "unknown"]

# v0.0.0-kubernetes-1.12.4   (the tags under which Kubernetes publishes its parts)
_KUBERNETES_TAG = re.compile(r"^kubernetes-(\d+\.\d+\.\d+\S*)$")

_TAGGED_SINCE = 17  # from Kubernetes 1.17 on its parts have versions of their own, v0.17.0


class Affected(Struct, frozen=True, forbid_unknown_fields=True):
    """A module, the first release that has the leak, and the first that has it no more, of each line."""

    module: str
    fixed: tuple[str, ...] = ()  # oldest first; (): no release has it fixed
    introduced: str = ""  # "": its first release already had it
    leaks_at: str = ""  # the version to reproduce it with
    fixed_on: str = ""  # the day of the commit that fixes it, "2019-10-01": tells of pseudo-versions
    godebug: str = ""  # of std: the setting that brings it back, "asynctimerchan=1"
    releases: str = ""  # "kubernetes": fixed and introduced are its releases; v0.N.P of the module is v1.N.P

    def has(self, found: str | None) -> Answer:
        told = self.numbered(version(found))
        if told is None:
            return "unknown"
        if told.committed and told.line == (0, 0):  # no release came before it: its day is all there is
            early = bool(self.fixed_on) and told.committed < self.fixed_on
            return "yes" if early and not self.introduced else "unknown"
        if self.introduced and (first := version(self.introduced)) and told.order < first.order:
            return "no" if told.base.order < first.order else "unknown"
        fixes = [fix for text in self.fixed if (fix := version(text))]
        if not fixes:
            return "yes"
        if told.order >= fixes[-1].order or any(fix.line == told.line and told.order >= fix.order for fix in fixes):
            return "no"
        if told.committed and self.fixed_on:
            return "yes" if told.committed < self.fixed_on else "unknown"
        # Somewhere between the release before the fix and the release with it.
        return "unknown" if told.pre and any(fix.base == told.base for fix in fixes) else "yes"

    def brought_back(self, godebug: str) -> bool:
        """Tell whether settings of a build bring the leak back, whatever its version."""
        return bool(self.godebug) and self.godebug in godebug.split(",")

    def fixed_by(self, found: str | None) -> str | None:
        """Return the lowest release with the fix that is an upgrade from a version; of an unknown one the highest."""
        told = self.numbered(version(found))
        fixes = [(fix, text) for text in self.fixed if (fix := version(text))]
        if not fixes:
            return None
        if told is None or (told.committed and told.line == (0, 0)):
            return fixes[-1][1]
        return next((text for fix, text in fixes if fix.order > told.order), fixes[-1][1])

    def tag(self, fix: str) -> str:
        """Return a release with the fix as the go command knows it: parts of Kubernetes have tags of their own."""
        told = version(fix)
        if told is None or self.releases != "kubernetes" or told.major > 1:
            return fix
        return (
            f"v0.{told.minor}.{told.patch}"
            if told.minor >= _TAGGED_SINCE
            else f"kubernetes-1.{told.minor}.{told.patch}"
        )

    def of_the_release(self, product: str) -> "Affected":
        """Return the same of the product that the module is a part of, in its numbers: v1.21.0 of v0.21.0."""
        fixed = tuple(_released(text) for text in self.fixed)
        return replace(self, module=product, fixed=fixed, introduced=_released(self.introduced), releases="")

    def ranges(self) -> tuple[tuple[str, str], ...]:
        """Return the releases that have the leak: (first, first that has it no more), "" where there is no such end."""
        fixes = [fix for text in self.fixed if (fix := version(text))]
        first = self.introduced
        found: list[tuple[str, str]] = []
        for fix, text in zip(fixes, self.fixed, strict=False):
            begin = version(first)
            if begin is None or begin.order < fix.order:
                found.append((first, text))
            following = Version(fix.major, fix.minor + 1, 0)  # the line after it has the leak until its own fix
            first = str(following) if begin is None or begin.order < following.order else first
        return tuple(found) if fixes else ((first, ""),)

    def numbered(self, found: Version | None) -> Version | None:
        """Return a version of the module in the numbers that `fixed` is written in."""
        if found is not None and self.module == _CLIENT_GO and found.major > 1:
            found = Version(0, found.major + 3, found.minor, found.pre)
        if found is None or self.releases != "kubernetes" or found.major:
            return found
        if tag := _KUBERNETES_TAG.match(found.pre):
            return version(tag[1])
        return found if found.line == (0, 0) else replace(found, major=1)


def _released(text: str) -> str:
    told = version(text)
    return str(replace(told, major=1)) if told and told.major == 0 and told.line != (0, 0) else text
