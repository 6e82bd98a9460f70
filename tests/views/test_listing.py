"""Values per source line as pprof -list counts them, its layout, and sources that cannot be the running version's."""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
import pytest

from oakum.model import Functions, LabelSets, Locations, Profile, Stacks, Strings, UsageError, ValueType
from oakum.views.listing import Line, Routine, Source, decisive_lines, differs, document, lines, listing, shown
from oakum.views.query import Query

FRAME = tuple[str, str, int, int]  # function, file, line, start line
# A location is its frames, inlined callee first; a stack is its locations, leaf first.
STACK = Sequence[Sequence[FRAME]]


def profile(samples: Sequence[tuple[STACK, int]], unit: str = "count") -> Profile:
    """Return a profile of these stacks and values."""
    strings: dict[str, int] = {"": 0}
    functions: dict[tuple[int, int, int], int] = {}
    locations: dict[tuple[FRAME, ...], int] = {}
    for stack, _ in samples:
        for location in stack:
            locations.setdefault(tuple(location), len(locations))
    frames = [frame for location in locations for frame in location]
    of_frame = [
        functions.setdefault(
            (strings.setdefault(name, len(strings)), strings.setdefault(file, len(strings)), start), len(functions)
        )
        for name, file, _, start in frames
    ]
    columns = np.array(list(functions), np.int64).reshape(-1, 3)
    stack_rows = [[locations[tuple(location)] for location in stack] for stack, _ in samples]
    return Profile(
        kind="heap",
        sample_types=(ValueType("inuse_space", unit),),
        values=np.array([[value for _, value in samples]], np.int64).reshape(1, -1),
        stack_ids=np.arange(len(samples), dtype=np.int32),
        label_ids=np.zeros(len(samples), np.int32),
        stacks=Stacks(
            np.array([0, *accumulate(map(len, stack_rows))], np.int64),
            np.array([row for rows in stack_rows for row in rows], np.int32),
        ),
        label_sets=LabelSets.none(),
        locations=Locations(
            address=np.arange(1, len(locations) + 1, dtype=np.uint64),
            mapping=np.full(len(locations), -1, np.int32),
            folded=np.zeros(len(locations), np.bool_),
            line_starts=np.array([0, *accumulate(map(len, locations))], np.int64),
            line_function=np.array(of_frame, np.int32),
            line_number=np.array([line for _, _, line, _ in frames], np.int64),
        ),
        functions=Functions(
            name=columns[:, 0].astype(np.int32),
            system_name=columns[:, 0].astype(np.int32),
            file=columns[:, 1].astype(np.int32),
            start_line=columns[:, 2],
        ),
        strings=Strings.of(strings),
    )


def frame(function: str, line: int, start: int = 0, file: str = "/app/a.go") -> FRAME:
    return (function, file, line, start)


TEXT = tuple(f"line {n}" for n in range(1, 31))


def test_recursion_counts_a_line_once_and_inlined_frames_count_too() -> None:
    walk = [frame("m.Walk", 8)]
    leaf = [frame("m.small", 3), frame("m.Walk", 10)]  # small was inlined into Walk
    found = listing(profile([([leaf, walk, walk, walk], 100), ([walk], 7)]), Query(), "Walk|small")
    assert found.report.total == 107
    by_name = {routine.function: routine for routine in found.routines}
    assert by_name["m.Walk"].lines == (Line(8, 7, 107), Line(10, 0, 100))
    assert by_name["m.small"].lines == (Line(3, 100, 100),)
    assert (by_name["m.Walk"].flat, by_name["m.Walk"].cum) == (7, 207)  # a sum over lines, as in pprof


def test_noinlines_leaves_the_outermost_frame() -> None:
    made = profile([([[frame("m.small", 3), frame("m.Walk", 10)]], 100)])
    found = listing(made, Query(noinlines=True), ".")
    assert [(r.function, r.lines) for r in found.routines] == [("m.Walk", (Line(10, 100, 100),))]


def test_one_function_in_two_files_is_two_routines_by_name_and_file() -> None:
    made = profile(
        [
            ([[frame("m.B", 1)]], 1),
            ([[frame("m.A", 2, file="/app/z.go")]], 2),
            ([[frame("m.A", 3, file="/app/b.go")]], 3),
        ]
    )
    assert [(r.function, r.file) for r in listing(made, Query(), "").routines] == [
        ("m.A", "/app/b.go"),
        ("m.A", "/app/z.go"),
        ("m.B", "/app/a.go"),
    ]


def test_the_layout_is_pprofs() -> None:
    made = profile([([[frame("m.F", 12, 9)], [frame("main.main", 3)]], 1536), ([[frame("m.F", 10, 9)]], 512)], "bytes")
    assert list(lines(listing(made, Query(), r"m\.F"), lambda routine: Source(TEXT))) == [
        "Total: 2kB",
        "ROUTINE ======================== m.F in /app/a.go",
        "       2kB        2kB (flat, cum)   100% of Total",
        "         .          .      9:line 9",
        "      512B       512B     10:line 10",
        "         .          .     11:line 11",
        "    1.50kB     1.50kB     12:line 12",
        *(f"         .          .     {n}:line {n}" for n in range(13, 18)),
    ]


def test_without_a_source_the_numbers_stay() -> None:
    made = profile([([[frame("m.F", 12)]], 5)])
    assert list(lines(listing(made, Query(), "F"), lambda routine: Source(None, ("Error: not found",))))[2:] == [
        "         5          5 (flat, cum)   100% of Total",
        " Error: not found",
        "         5          5     12:???",
    ]


def test_functions_without_a_file() -> None:
    made = profile([([[("m.F", "", 0, 0)]], 5)])
    assert list(lines(listing(made, Query(), "F"), lambda routine: Source(None))) == [
        "Total: 5",
        "No source information for m.F",
    ]


def routine(*numbers: int, begin: int = 1, **more: object) -> Routine:
    values = tuple(Line(number, 1, 1) for number in numbers)
    facts = {"function": "m.F", "file": "/app/a.go", "named": "/app/a.go", "start_line": 0} | more
    return Routine(begin=begin, flat=len(values), cum=len(values), lines=values, **facts)  # type: ignore[arg-type]  # test facts


@pytest.mark.parametrize(
    ("numbers", "begin", "context", "expected"),
    [
        ((12, 14), 7, None, list(range(7, 20))),
        ((2,), -3, None, [1, 2, 3, 4, 5, 6, 7]),
        ((29,), 24, None, [24, 25, 26, 27, 28, 29, 30]),
        ((12, 20), 7, 1, [11, 12, 13, "...", 19, 20, 21]),
        ((12, 14), 7, 1, [11, 12, 13, 14, 15]),
        ((12, 14), 7, 0, [12, "...", 14]),
        ((0, 40, 1 << 60), 1, None, [0, 40, 1 << 60]),  # lines that the file does not have keep their values
        ((0, 28, 40), 23, None, [0, *range(23, 31), 40]),
        ((5,), 9, None, [5, 6, 7, 8, 9, 10]),  # the function is said to begin after its own line
        ((5,), 1 << 60, None, [5, 6, 7, 8, 9, 10]),
    ],
)
def test_which_lines_are_shown(
    numbers: tuple[int, ...], begin: int, context: int | None, expected: list[int | str]
) -> None:
    rows = list(shown(routine(*numbers, begin=begin), TEXT, context))
    assert ["..." if row is None else row[0].number for row in rows] == expected
    for row in rows:
        if row is not None:
            number = row[0].number
            assert row[1] == (f"line {number}" if 1 <= number <= 30 else None)
            assert row[0].cum == (number in numbers)


def test_a_base_shows_what_changed() -> None:
    made = profile([([[frame("m.F", 3)]], 10), ([[frame("m.F", 3)]], -4), ([[frame("m.F", 5)]], -2)])
    (found,) = listing(made, Query(), "F").routines
    assert found.lines == (Line(3, 6, 6), Line(5, -2, -2))
    (found,) = listing(made, Query(drop_negative=True), "F").routines
    assert found.lines == (Line(3, 6, 6),)


def test_functions_that_match_without_a_value_are_counted() -> None:
    made = profile([([[frame("m.F", 3)]], 0), ([[frame("m.G", 3)]], 1)])
    assert (listing(made, Query(), "F").routines, listing(made, Query(), "F").silent) == ((), 1)
    assert listing(made, Query(), "nothing").silent == 0
    assert listing(made, Query(), "G").silent == 0


def test_the_total_is_that_before_filters() -> None:
    made = profile([([[frame("m.F", 3)]], 3), ([[frame("m.G", 3)]], 1)])
    assert listing(made, Query(focus="F"), "F").report.total == 4
    assert listing(made, Query(focus="F", relative_percentages=True), "F").report.total == 3


def test_names_are_trimmed_for_print_and_kept_for_the_search() -> None:
    made = profile([([[frame("m.F", 3, file="/ci/build/app/db/pool.go")]], 3)])
    (found,) = listing(made, Query(trim_path="/ci/build"), "F").routines
    assert (found.file, found.named) == ("app/db/pool.go", "/ci/build/app/db/pool.go")
    (found,) = listing(made, Query(source_path="/home/me/app"), "F").routines
    assert found.file == "db/pool.go"


def test_a_bad_expression_is_the_users_mistake() -> None:
    with pytest.raises(UsageError, match="not a regular expression"):
        listing(profile([([[frame("m.F", 3)]], 3)]), Query(), "(")


def test_heavy_lines_decide() -> None:
    made = profile([([[frame("m.F", 3)]], 10), ([[frame("m.F", 4)]], 6), ([[frame("m.F", 5)]], -4)])
    assert decisive_lines(listing(made, Query(), "F").routines[0]) == {3, 4}
    printed = list(lines(listing(made, Query(), "F"), lambda _: Source(TEXT), strong=lambda text: f"<{text}>"))
    assert [line[:1] for line in printed[1:8]] == ["<", " ", " ", " ", "<", "<", " "]


def test_json_has_the_same_lines() -> None:
    made = profile([([[frame("m.F", 3, 2)]], 10), ([[frame("m.F", 99, 2)]], 1)], "bytes")
    told = document(listing(made, Query(), "F"), lambda _: Source(TEXT, ("Note: x",), "/found/a.go", ("/a", "/b")), 0)
    assert told == {
        "view": "list",
        "sample_type": "inuse_space",
        "unit": "bytes",
        "total": 11,
        "routines": [
            {
                "function": "m.F",
                "file": "/app/a.go",
                "start_line": 2,
                "flat": 11,
                "cum": 11,
                "source": "/found/a.go",
                "remarks": ["Note: x"],
                "looked": ["/a", "/b"],
                "lines": [
                    {"line": 3, "flat": 10, "cum": 10, "text": "line 3"},
                    {"line": 99, "flat": 1, "cum": 1, "text": None},
                ],
            }
        ],
    }


GO = """package m

func F() {
	work()
	go func() {
		work()
	}()
}

func (p *pool[T]) Get() int {
	return p.n
}

var hook = func() {
	work()
}

func init() {
	work()
}
""".splitlines()


@pytest.mark.parametrize(
    ("function", "start", "line"),
    [
        ("m.F", 3, 4),
        ("m.F", 0, 4),
        ("m.F.func1", 5, 6),
        ("m.F.func1", 0, 6),
        ("m.F.gowrap1", 5, 5),
        ("m.Caller.F.func1", 0, 6),  # F's closure, inlined into Caller
        ("m.(*pool[...]).Get", 10, 11),
        ("m.(*pool[go.shape.int]).Get", 0, 11),
        ("m.(*pool[go.shape.int]).Get-fm", 99, 11),
        ("m.glob..func1", 14, 15),
        ("m.init.0", 18, 19),
        ("m.init", 0, 14),
        ("m.map.init.0", 0, 14),
    ],
)
def test_the_running_versions_own_source_is_not_accused(function: str, start: int, line: int) -> None:
    assert differs(routine(line, function=function, start_line=start), GO) == ""


@pytest.mark.parametrize(
    ("function", "start", "line", "why"),
    [
        ("m.F", 0, 400, "it has 20 lines, and the profile names line 400"),
        ("m.F", 0, 11, "line 11 is inside func Get"),
        ("m.F", 0, 2, "line 2 is above every function"),
        ("m.Gone", 0, 4, "line 4 is inside func F"),
        ("m.F", 10, 11, "line 10, where the profile says that it begins, is not its beginning"),
        ("m.F", 4, 4, "line 4, where the profile says that it begins, is not its beginning"),
        ("m.F.func1", 6, 6, "line 6, where the profile says that it begins, is not its beginning"),
        ("m.F", 90, 4, "line 90, where the profile says that it begins, is not its beginning"),
    ],
)
def test_another_versions_source_is_told(function: str, start: int, line: int, why: str) -> None:
    assert differs(routine(line, function=function, start_line=start), GO) == why


@pytest.mark.parametrize("start", [0, 4])
def test_a_function_that_is_linked_under_another_name_is_not_accused(start: int) -> None:
    text = [
        "package runtime",
        "",
        "//go:linkname godebug_setUpdate internal/godebug.setUpdate",
        "func godebug_setUpdate() {",
    ]
    text += ["\twork()", "}", "", "func other() {", "\twork()", "}"]
    assert differs(routine(5, function="internal/godebug.setUpdate", start_line=start), text) == ""
    assert differs(routine(9, function="internal/godebug.setUpdate", start_line=start and 8), text)


def test_other_languages_are_only_counted() -> None:
    assert differs(routine(3, file="/app/a.cc", function="ns::F(int)"), GO) == ""
    assert differs(routine(40, file="/app/a.cc", function="ns::F(int)"), GO)
    assert differs(routine(0), GO) == ""
