"""Numbers as pprof prints them: a value and its unit -> "1.50MB", "10ms", "12", and shares -> "96.12%".

Knows pprof's three families of units (bytes, time, GCU); everything else is a bare count.
"""

from functools import lru_cache

from msgspec import Struct


class Unit(Struct, frozen=True):
    """One unit: the name that is printed, the spellings that are understood, and its size in the family's base."""

    name: str
    spellings: tuple[str, ...]
    factor: float


class Family(Struct, frozen=True):
    """Units that convert into one another; `default` is used when the wanted unit belongs to another family."""

    units: tuple[Unit, ...]
    default: Unit


_BYTE = Unit("B", ("b", "byte"), 1.0)
_SECOND = Unit("s", ("s", "sec", "second"), 1e9)
_GCU = Unit("GCU", ("gcu",), 1.0)
_FAMILIES = (
    Family(
        (
            _BYTE,
            Unit("kB", ("kb", "kbyte", "kilobyte"), 2.0**10),
            Unit("MB", ("mb", "mbyte", "megabyte"), 2.0**20),
            Unit("GB", ("gb", "gbyte", "gigabyte"), 2.0**30),
            Unit("TB", ("tb", "tbyte", "terabyte"), 2.0**40),
            Unit("PB", ("pb", "pbyte", "petabyte"), 2.0**50),
        ),
        _BYTE,
    ),
    Family(
        (
            Unit("ns", ("ns", "nanosecond"), 1.0),
            Unit("us", ("us", "microsecond"), 1e3),
            Unit("ms", ("ms", "millisecond"), 1e6),
            _SECOND,
            Unit("hrs", ("hour", "hr"), 3.6e12),
        ),
        _SECOND,
    ),
    Family(
        (
            Unit("n*GCU", ("nanogcu",), 1e-9),
            Unit("u*GCU", ("microgcu",), 1e-6),
            Unit("m*GCU", ("milligcu",), 1e-3),
            _GCU,
            Unit("k*GCU", ("kilogcu",), 1e3),
            Unit("M*GCU", ("megagcu",), 1e6),
            Unit("G*GCU", ("gigagcu",), 1e9),
            Unit("T*GCU", ("teragcu",), 1e12),
            Unit("P*GCU", ("petagcu",), 1e15),
        ),
        _GCU,
    ),
)
# Units that say nothing: 12, not "12count".
_UNSAID = ("count", "sample", "unit", "minimum", "auto")


@lru_cache(1024)  # units come from evidence
def _sniff(family: Family, unit: str) -> Unit | None:
    unit = unit.lower()
    if len(unit) > 2:
        unit = unit.removesuffix("s")
    return next((u for u in family.units if unit in u.spellings), None)


def scale(value: int, from_unit: str, to_unit: str) -> tuple[float, str]:
    """Return the value in the wanted unit ("minimum" and "auto" choose one) and the name to print after it."""
    if value < 0:
        scaled, name = scale(-value, from_unit, to_unit)
        return -scaled, name
    for family in _FAMILIES:
        source = _sniff(family, from_unit)
        if source is None:
            continue
        base = float(value) * source.factor
        target: Unit | None
        if to_unit in ("minimum", "auto"):
            target = max((u for u in family.units if base / u.factor >= 1.0), key=lambda u: u.factor, default=None)
        else:
            target = _sniff(family, to_unit)
        target = target or family.default
        return base / target.factor, target.name
    return float(value), "" if to_unit in _UNSAID else to_unit


def scaled_label(value: int, from_unit: str, to_unit: str) -> str:
    """Return the value in the wanted unit as text: "1.50MB", "12", "0"."""
    scaled, name = scale(value, from_unit, to_unit)
    text = f"{scaled:.2f}".removesuffix(".00")
    return "0" if text in ("0", "-0") else text + name


def label(value: int, unit: str) -> str:
    """Return the value in the most natural unit as text."""
    return scaled_label(value, unit, "auto")


def percentage(value: int, total: int) -> str:
    """Return the share as text of six columns: "  100%", "96.12%", "  0.5%"."""
    share = abs(float(value) / float(total)) * 100 if total else 0.0
    if 99.95 <= share <= 100.05:
        return "  100%"
    if share >= 1.0:
        return f"{share:5.2f}%"
    return f"{share:5.2g}%"


def compatible(left: str, right: str) -> bool:
    """Return whether values in these two units can be added after scaling."""
    return left == right or any(_sniff(f, left) is not None and _sniff(f, right) is not None for f in _FAMILIES)
