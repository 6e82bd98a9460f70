"""DWARF of a Go program (ELF, Go 1.12 to 1.27, DWARF 4 and 5) -> the types of its variables, and what they point to.

Only what is asked for is read: a variable by its name, a type by its place, types of interfaces by an index of the unit
that has them. Sections may be compressed. What is damaged, or made by another compiler, has no types.
"""

import re
import struct
import zlib
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress

from msgspec import Struct

from oakum.model import Buffer
from oakum.parse.binaries import elf
from oakum.parse.binaries.image import Image

_MOST = 1 << 30  # bytes of a section, unpacked
_MOST_INDEXED = 32 << 20  # bytes of the unit with the types; Kubernetes' have 10 MB
_DEEPEST = 24  # structs in structs
_MOST_WORDS = 4096  # pointers of one type
# Tags and attributes that are looked at.
_ARRAY, _MEMBER, _POINTER, _STRUCT, _SUBROUTINE, _TYPEDEF, _BASE, _VARIABLE = (
    0x01,
    0x0D,
    0x0F,
    0x13,
    0x15,
    0x16,
    0x24,
    0x34,
)
_NAME, _SIZE, _PLACE, _TYPE, _KIND, _RUNTIME = 0x03, 0x0B, 0x38, 0x49, 0x2900, 0x2904
# Kinds, as package reflect numbers them.
_CHAN, _FUNC, _INTERFACE, _MAP, _SLICE, _STRING, _UNSAFE = 18, 19, 20, 21, 23, 24, 26
# sync/atomic.Pointer[go.shape.struct {...}]   sync/atomic.Pointer[main.config]
_ATOMIC = re.compile(r"(?:sync|internal/runtime)/atomic\.Pointer\[(.+)\]$")
# hash<string,*main.session>  bucket<...>  map<...>  table<...>  groupReference<...>  noalg.map.group[...]...
_INNER = re.compile(r"\**(?:hash|bucket|map|table|group|groupReference)<|noalg\.map\.group\[")


class Slot(Struct, frozen=True):
    """One word of a type that holds a pointer: where it is, what leads there, and what it points to."""

    offset: int
    path: str  # of fields: "" is the value itself, "sessions", "conf.hosts", "[]", "$mapval"
    role: str  # pointer, array (of these), interface, data, function
    to: int  # place of the type that it points to; 0: none, or unknown
    type: str  # of the field


class Layout(Struct, frozen=True):
    """One type as memory has it. Layouts of parts of a map are `inner`: they are no holders of their own."""

    name: str
    size: int
    slots: tuple[Slot, ...]
    inner: bool = False


class _Entry(Struct):
    tag: int
    values: dict[int, int | str]
    children: bool
    after: int


class Dwarf:
    """The debugging information of one program."""

    def __init__(self, info: bytes, abbreviations: bytes, word: int, order: str) -> None:
        self._info, self._abbreviations, self._word, self._order = info, abbreviations, word, order
        self._units: list[tuple[int, int, int, int]] = []  # start, end, version, place of the abbreviations
        self._tables: dict[int, dict[int, tuple[int, bool, list[tuple[int, int]]]]] = {}
        self._entries: dict[int, _Entry] = {}
        self._layouts: dict[int, Layout] = {}
        self._runtime: dict[int, int] | None = None
        self._find_units()
        self._starts = [unit[0] for unit in self._units]

    def variable(self, name: str) -> int:
        """Return the place of the type of a variable, 0 where it is not known."""
        return next((self._number(one, _TYPE) for _, one in self._called(name) if one.tag == _VARIABLE), 0)

    def of_runtime(self, address: int) -> int:
        """Return the place of the type that the runtime has at an address, as an interface names it; 0: none."""
        return self.runtime_types().get(address, 0)

    def runtime_types(self) -> dict[int, int]:
        """Return the types that the runtime has: address, or offset among its types -> place."""
        if self._runtime is None:
            self._runtime = {}
            with suppress(IndexError, KeyError, ValueError):
                self._index()
        return self._runtime

    def layout(self, place: int) -> Layout:
        """Return what a type looks like in memory; without slots where that is not known."""
        if place not in self._layouts:
            try:
                self._layouts[place] = self._made(place)
            except (IndexError, KeyError, ValueError, RecursionError):
                self._layouts[place] = Layout("", 0, ())
        return self._layouts[place]

    # layouts

    def _made(self, place: int) -> Layout:
        name, _, size = self._described(place)
        slots: list[Slot] = []
        inner = bool(_INNER.match(name))
        self._slots(place, 0, "", slots, 0)
        slots = slots[:_MOST_WORDS]
        if inner:
            slots = [_of_map(slot) for slot in slots]
        return Layout(name, size, tuple(sorted(slots, key=lambda slot: slot.offset)), inner)

    def _described(self, place: int) -> tuple[str, int, int]:
        """Return the name, kind and size of a type; those of what it stands for where it has none itself."""
        name, kind = "", 0
        for _ in range(_DEEPEST):
            entry = self._entry(place)
            name = name or str(entry.values.get(_NAME, ""))
            kind = kind or self._number(entry, _KIND)
            if entry.tag == _TYPEDEF:
                place = self._number(entry, _TYPE)
                continue
            size = self._number(entry, _SIZE) or (self._word if entry.tag in (_POINTER, _SUBROUTINE) else 0)
            return name, kind, size
        return name, kind, 0

    def _slots(self, place: int, offset: int, path: str, into: list[Slot], depth: int) -> None:
        if depth > _DEEPEST or len(into) > _MOST_WORDS:
            return
        name, kind, _ = self._described(place)
        entry = self._plain(place)
        word = self._word
        if kind == _STRING:
            into.append(Slot(offset, path, "data", 0, name))
        elif kind == _SLICE:
            into.append(Slot(offset, path, "array", self._pointee(self._field(entry, "array")), name))
        elif kind == _INTERFACE:
            into.append(Slot(offset + word, path, "interface", 0, name))
        elif kind == _FUNC or entry.tag == _SUBROUTINE:
            into.append(Slot(offset, path, "function", 0, name))
        elif kind in (_MAP, _CHAN):
            into.append(Slot(offset, path, "pointer", self._pointee(place), name))
        elif entry.tag == _POINTER:
            into.append(Slot(offset, path, "pointer", self._number(entry, _TYPE), name))
        elif kind == _UNSAFE or name == "unsafe.Pointer":
            into.append(Slot(offset, path, "pointer", 0, name))
        elif entry.tag == _ARRAY:
            self._elements(entry, offset, path, into, depth)
        elif entry.tag == _STRUCT:
            known = len(into)
            for called, at, of in self._fields(entry):
                self._slots(of, offset + at, f"{path}.{called}" if path else called, into, depth + 1)
            if (atomic := _ATOMIC.match(name)) and len(into) == known + 1:
                into[known] = Slot(into[known].offset, path, "pointer", self.named(atomic[1]), f"*{atomic[1]}")

    def _elements(self, entry: _Entry, offset: int, path: str, into: list[Slot], depth: int) -> None:
        element = self._number(entry, _TYPE)
        _, _, size = self._described(element)
        whole = self._number(entry, _SIZE)
        one: list[Slot] = []
        self._slots(element, 0, f"{path}[]", one, depth + 1)
        if not one or size <= 0:
            return
        for at in range(0, min(whole, _MOST_WORDS * size), size):
            into += [Slot(offset + at + slot.offset, slot.path, slot.role, slot.to, slot.type) for slot in one]
            if len(into) > _MOST_WORDS:
                return

    def _plain(self, place: int) -> _Entry:
        for _ in range(_DEEPEST):
            entry = self._entry(place)
            if entry.tag != _TYPEDEF:
                return entry
            place = self._number(entry, _TYPE)
        raise ValueError(place)

    def _pointee(self, place: int) -> int:
        entry = self._plain(place)
        return self._number(entry, _TYPE) if entry.tag == _POINTER else 0

    def _field(self, entry: _Entry, name: str) -> int:
        return next((of for called, _, of in self._fields(entry) if called == name), 0)

    def _fields(self, entry: _Entry) -> list[tuple[str, int, int]]:
        found = []
        at = entry.after
        while entry.children:
            child = self._entry(at, keep=False)
            if child.tag == 0:
                break
            if child.tag == _MEMBER:
                values = child.values
                found.append((str(values.get(_NAME, "")), self._number(child, _PLACE), self._number(child, _TYPE)))
            at = child.after
            if child.children:
                raise ValueError(at)
        return found

    def named(self, name: str) -> int:
        """Return the place of a type by its name, 0 where there is none."""
        types = (_STRUCT, _BASE, _ARRAY, _POINTER, _TYPEDEF)
        return next((at for at, one in self._called(name) if one.tag in types), 0)

    def _called(self, name: str) -> Iterator[tuple[int, _Entry]]:
        """Yield the entries of a name, each with its place: where the name stands in the text of the entries."""
        raw, at = name.encode() + b"\0", -1
        while (at := self._info.find(raw, at + 1)) > 0:
            try:
                entry = self._entry(at - 1)
            except (IndexError, KeyError, ValueError):
                continue
            if entry.values.get(_NAME) == name:
                yield at - 1, entry

    def _index(self) -> None:
        """Note where the types are that the runtime knows: all in one unit."""
        place = self.named("runtime.eface")
        row = bisect_right(self._starts, place) - 1
        if not place or row < 0:
            return
        start, end, version, _ = self._units[row]
        if end - start > _MOST_INDEXED:
            return
        at = start + (12 if version >= 5 else 11)
        assert self._runtime is not None
        while at < end:
            entry = self._entry(at, keep=False)
            if runtime := self._number(entry, _RUNTIME):
                self._runtime.setdefault(runtime, at)
            at = entry.after

    # entries

    @staticmethod
    def _number(entry: _Entry, attribute: int) -> int:
        value = entry.values.get(attribute, 0)
        return value if isinstance(value, int) else 0

    def _find_units(self) -> None:
        at, info = 0, self._info
        while at + 11 <= len(info):
            length, version = struct.unpack_from(f"{self._order}IH", info, at)
            if length >= 0xFFFFFFF0 or version not in (2, 3, 4, 5):
                return
            table = struct.unpack_from(f"{self._order}I", info, at + (8 if version >= 5 else 6))[0]
            self._units.append((at, min(at + 4 + length, len(info)), version, table))
            at += 4 + length

    def _unsigned(self, at: int) -> tuple[int, int]:
        value = shift = 0
        while True:
            byte = self._info[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value, at
            shift += 7
            if shift > 63:
                raise ValueError(at)

    def _table(self, place: int) -> dict[int, tuple[int, bool, list[tuple[int, int]]]]:
        if place in self._tables:
            return self._tables[place]
        data, at = self._abbreviations, place
        found: dict[int, tuple[int, bool, list[tuple[int, int]]]] = {}

        def number() -> int:
            nonlocal at
            value = shift = 0
            while True:
                byte = data[at]
                at += 1
                value |= (byte & 0x7F) << shift
                if byte < 0x80:
                    return value
                shift += 7

        while at < len(data) and (code := number()):
            tag, children, attributes = number(), bool(data[at]), []
            at += 1
            while True:
                name, form = number(), number()
                if form == 0x21:  # the value stands here
                    number()
                if not name and not form:
                    break
                attributes.append((name, form))
            found[code] = (tag, children, attributes)
        self._tables[place] = found
        return found

    def _entry(self, at: int, keep: bool = True) -> _Entry:
        if at in self._entries:
            return self._entries[at]
        row = bisect_right(self._starts, at) - 1
        if row < 0:
            raise ValueError(at)
        _, end, version, table = self._units[row]
        code, after = self._unsigned(at)
        if not code:
            return _Entry(0, {}, False, after)
        tag, children, attributes = self._table(table)[code]
        values: dict[int, int | str] = {}
        for name, form in attributes:
            value, after = self._value(form, after, version)
            if name in (_NAME, _SIZE, _PLACE, _TYPE, _KIND, _RUNTIME) and value is not None:
                values[name] = value
        if after > end:
            raise ValueError(at)
        entry = _Entry(tag, values, children, after)
        if keep:
            self._entries[at] = entry
        return entry

    def _value(self, form: int, at: int, version: int) -> tuple[int | str | None, int]:
        """Return the value of an attribute, None where it tells nothing here, and where the next one begins."""
        info = self._info
        if form == 0x08:  # string
            end = info.index(b"\0", at)
            return info[at:end].decode("utf-8", "replace"), end + 1
        if form in (
            0x0D,
            0x0F,
            0x1B,
            0x22,
            0x23,
            0x1A,
            0x15,
        ):  # sdata, udata, addrx, loclistx, rnglistx, strx, ref_udata
            return self._unsigned(at)
        if form == 0x19:  # flag_present
            return 1, at
        if size := self._width(form, version):
            order = "little" if self._order == "<" else "big"
            return int.from_bytes(info[at : at + size], order), at + size  # type: ignore[arg-type]  # one of two words
        if form in (0x09, 0x18):  # block, exprloc
            size, at = self._unsigned(at)
            return None, at + size
        if form in (0x0A, 0x03, 0x04):  # block1, block2, block4
            width = {0x0A: 1, 0x03: 2, 0x04: 4}[form]
            size = int.from_bytes(info[at : at + width], "little" if self._order == "<" else "big")
            return None, at + width + size
        raise ValueError(form)

    def _width(self, form: int, version: int) -> int:
        if form == 0x01 or (form == 0x10 and version == 2):
            return self._word
        return {
            0x0B: 1, 0x0C: 1, 0x11: 1, 0x25: 1, 0x29: 1, 0x05: 2, 0x12: 2, 0x26: 2, 0x2A: 2, 0x27: 3, 0x2B: 3, 0x06: 4,
            0x13: 4, 0x0E: 4, 0x10: 4, 0x17: 4, 0x1F: 4, 0x1C: 4, 0x28: 4, 0x2C: 4, 0x07: 8, 0x14: 8, 0x20: 8, 0x1E: 16,
        }.get(form, 0)  # fmt: skip


def _of_map(slot: Slot) -> Slot:
    """Return a slot of a part of a map by what it is for whoever looks at the map: a key, a value, or nothing."""
    path = slot.path
    if path.startswith(("keys[]", "slots[].key")):
        path = path.replace("keys[]", "$mapkey", 1).replace("slots[].key", "$mapkey", 1)
    elif path.startswith(("values[]", "slots[].elem")):
        path = path.replace("values[]", "$mapval", 1).replace("slots[].elem", "$mapval", 1)
    else:
        path = ""  # buckets, overflow, directory, groups
    return Slot(slot.offset, path, slot.role, slot.to, slot.type)


def read(data: Buffer) -> Dwarf | None:
    """Return the debugging information of a program, None where it has none."""
    if bytes(data[:4]) != elf.MAGIC:
        return None
    image = elf.read(data)
    if image is None:
        return None
    info, abbreviations = _section(image, "debug_info"), _section(image, "debug_abbrev")
    if not info or not abbreviations:
        return None
    return Dwarf(info, abbreviations, image.word, "<" if image.order == "little" else ">")


def _section(image: Image, name: str) -> bytes:
    """Return a section, unpacked; both ways to pack one begin with words of their own."""
    part = image.part(f".{name}", f".z{name}")
    if part is None:
        return b""
    raw = bytes(image.data[part.start : part.end])
    head = 24 if image.word == 8 else 12
    try:
        if part.name.startswith(".z") and raw[:4] == b"ZLIB":
            return _inflated(raw[12:], int.from_bytes(raw[4:12], "big"))
        if image.number(raw[:4]) == 1 and raw[head : head + 1] == b"\x78":
            return _inflated(raw[head:], image.number(raw[8:16] if image.word == 8 else raw[4:8]))
    except zlib.error:
        return b""
    return raw


def _inflated(raw: bytes, size: int) -> bytes:
    return zlib.decompressobj().decompress(raw, min(size, _MOST)) if size > 0 else b""
