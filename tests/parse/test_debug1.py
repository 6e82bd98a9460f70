"""Count profiles as text: what Go 1.21 and 1.27 wrote, and what logs and cuts make of it."""

from pathlib import Path

import pytest

from oakum.model import Profile, Reading
from oakum.parse import pprof, text_profiles
from oakum.parse.compression import unpack
from oakum.parse.limits import DEFAULT, Limits
from oakum.parse.parking import group_profile
from oakum.report.words.lines import problem_line

LEGACY = Path(__file__).parent / "testdata" / "legacy"

SPACED = b"#\t0x20\tm.G[go.shape.struct { A int }]+0x1\tg.go:2\n"
PROFILE = b"""goroutine profile: total 4
3 @ 0x47d84a 0x41421c 0x4dec3e 0x4836a1
# labels: {"tenant":"a \\"quoted\\" name", "path":"/v1/gr\\u00f6\\xc3\\x9fe\\n"}
#\t0x4dec3d\tmain.abandoned+0x1d\t\tmain.go:11

1 @ 0x440e31 0x4ccaf1 0x4836a1
#\t0x4ccaf0\tmain.main+0xb0\tC:/app/main.go:48

"""


def only(data: bytes, limits: Limits = DEFAULT) -> Reading:
    (reading,) = text_profiles.read(data, limits)
    return reading


def profile_of(reading: Reading) -> Profile:
    assert reading.profile is not None
    return reading.profile


def stacks(profile: Profile) -> list[tuple[int, list[str]]]:
    rows = profile.stack_ids.tolist()
    named = [[str(frame) for frame in profile.stack(row).frames] for row in rows]
    return list(zip(profile.values[0].tolist(), named, strict=True))


def record(addresses: str, *symbols: str) -> bytes:
    """Return a profile of one record with these symbol lines, written `0x10 inner+0x1 a.go:1`."""
    lines = [f"1 @ {addresses}", *("#\t" + symbol.replace(" ", "\t") for symbol in symbols), ""]
    return b"goroutine profile: total 1\n" + "\n".join(lines).encode()


def test_records_names_and_addresses() -> None:
    reading = only(PROFILE)
    assert (reading.kind, reading.format, reading.producer, reading.where) == ("goroutine", "debug1", "Go", "")
    assert reading.problems == ()
    profile = profile_of(reading)
    assert profile.extra["declared"] == 4
    assert stacks(profile) == [
        (3, ["0x47d849", "0x41421b", "main.abandoned main.go:11", "0x4836a0"]),
        (1, ["0x440e30", "main.main C:/app/main.go:48", "0x4836a0"]),
    ]
    assert profile.locations.address.tolist() == [0x47D849, 0x41421B, 0x4DEC3D, 0x4836A0, 0x440E30, 0x4CCAF0]


def test_labels_are_unquoted_as_go_quotes_them() -> None:
    profile = profile_of(only(PROFILE))
    labels = {label.key: label.text for label in profile.labels(int(profile.label_ids[0]))}
    assert labels == {"tenant": 'a "quoted" name', "path": "/v1/größe\n"}
    assert profile.labels(int(profile.label_ids[1])) == ()


@pytest.mark.parametrize("name", ["goroutine", "goroutineleak", "threadcreate", "example.com/record.handles"])
def test_any_name_before_profile_total(name: str) -> None:
    reading = only(PROFILE.replace(b"goroutine", name.encode(), 1))
    assert reading.kind == profile_of(reading).kind == name
    assert str(profile_of(reading).sample_types[0]) == f"{name}/count"
    assert reading.go_version == ("go1.26+" if name == "goroutineleak" else None)


@pytest.mark.parametrize(
    "glued",
    ["2026-01-02T03:04:05Z", "2026-01-02 03:04:05", "1767323045", "03:04:05.123 CET", "12.5+01:00", "web-1|", "INFO:"],
)
@pytest.mark.parametrize("name", ["goroutine", "goroutineleak", "threadcreate"])
def test_a_time_stamp_glued_to_the_header_is_no_kind(glued: str, name: str) -> None:
    assert only(glued.encode() + PROFILE.replace(b"goroutine", name.encode(), 1)).kind == name


@pytest.mark.parametrize("name", ["subgoroutine", "example.com/pool.goroutine", "my-heap", "goroutines", "file_block"])
def test_a_profile_named_after_a_known_kind_keeps_its_name(name: str) -> None:
    assert only(PROFILE.replace(b"goroutine", name.encode(), 1)).kind == name


def test_paths_with_blanks() -> None:
    path = "C:/Program Files/Go/src/net/http/server.go:2092"
    for between in ("\t", "\t\t", " "):
        line = f"#\t0x20\tm.F+0x1{between}{path}\n"
        assert stacks(profile_of(only(record("0x21") + line.encode()))) == [(1, [f"m.F {path}"])]


def test_windows_line_ends() -> None:
    assert stacks(profile_of(only(PROFILE.replace(b"\n", b"\r\n")))) == stacks(profile_of(only(PROFILE)))


def test_a_record_without_addresses_keeps_its_count() -> None:
    reading = only(b"threadcreate profile: total 1013\n1012 @\n#\t0x0\n\n1 @ 0x403af6e\n#\t0x403af6d\tf+0x1\ta.go:1\n")
    assert stacks(profile_of(reading)) == [(1012, []), (1, ["f a.go:1"])]
    assert reading.problems == ()


def test_the_same_address_again_is_an_inlined_call() -> None:
    text = record("0x11 0x21", "0x10 inner+0x1 a.go:1", "0x10 outer+0x1 b.go:2", "0x20 c+0x1 c.go:3")
    assert stacks(profile_of(only(text))) == [(1, ["inner a.go:1", "outer b.go:2", "c c.go:3"])]
    assert len(profile_of(only(text)).locations) == 2


def test_an_address_of_its_own_for_the_inlining_caller() -> None:
    """Go 1.23+ expands what a record lists as one address."""
    text = record("0x11 0x21", "0x10 inner+0x1 a.go:1", "0xe outer+0x1 b.go:2", "0x20 c+0x1 c.go:3")
    assert stacks(profile_of(only(text))) == [(1, ["inner a.go:1", "outer b.go:2", "c c.go:3"])]
    hidden = text.replace(b"#\t0x10\tinner+0x1\ta.go:1\n", b"")
    assert stacks(profile_of(only(hidden))) == [(1, ["outer b.go:2", "c c.go:3"])]


def test_recursion_through_one_address() -> None:
    text = (
        b"heads profile: total 1\n1 @ 0x11 0x11 0x21\n" + b"#\t0x10\tr+0x1\ta.go:1\n" * 2 + b"#\t0x20\tc+0x1\tc.go:3\n"
    )
    assert stacks(profile_of(only(text))) == [(1, ["r a.go:1", "r a.go:1", "c c.go:3"])]


def test_old_go_and_function_entries_print_the_return_address() -> None:
    text = record("0x83e760 0x574221", "0x83e760 net/http.f+0x0 t.go:980", "0x574221 g+0x1 g.go:1")
    assert stacks(profile_of(only(text))) == [(1, ["net/http.f t.go:980", "g g.go:1"])]


def test_a_name_given_once_counts_everywhere() -> None:
    text = record("0x11 0x21", "0x20 c+0x1 c.go:3") + b"\n1 @ 0x11\n#\t0x10\truntime.gopark+0x1\tp.go:1\n"
    assert stacks(profile_of(only(text)))[0] == (1, ["runtime.gopark p.go:1", "c c.go:3"])


def test_generic_names_and_names_with_spaces() -> None:
    text = record("0x11 0x21", "0x10 pkg.F[...].func2+0x77 x@v1.2.3/f.go:9") + SPACED
    names = [frame.function for frame in profile_of(only(text)).stack(0).frames]
    assert names == ["pkg.F[...].func2", "m.G[go.shape.struct { A int }]"]


@pytest.mark.parametrize(
    ("path", "version"),
    [
        ("/home/u/sdk/go1.14.2/src/runtime/proc.go", "go1.14.2"),
        ("golang.org/toolchain@v0.0.1-go1.23.4.linux-amd64/src/runtime/proc.go", "go1.23.4"),
        ("/opt/hostedtoolcache/go/1.21.5/x64/src/runtime/proc.go", "go1.21.5"),
        ("/usr/local/Cellar/go/1.19.3/libexec/src/runtime/proc.go", "go1.19.3"),
        ("/usr/local/go/src/runtime/proc.go", None),
        ("C:/go1.17/src/runtime/proc.go", "go1.17"),
    ],
)
def test_go_version_from_paths(path: str, version: str | None) -> None:
    text = f"goroutine profile: total 1\n1 @ 0x11\n#\t0x10\truntime.main+0x1\t{path}:267\n"
    assert only(text.encode()).go_version == version


def test_missing_goroutines_are_counted() -> None:
    (problem,) = only(PROFILE.replace(b"total 4", b"total 5171")).problems
    assert problem.key == "records-missing"
    assert problem.text.args["missing"] == 5167
    assert "5,171 goroutines, 4 were read: 5,167 missing" in problem_line(problem)


def test_a_cut_is_noticed() -> None:
    keys = [problem.key for problem in only(PROFILE[: PROFILE.index(b"+0xb0")]).problems]
    assert keys == ["cut-mid-stack"]
    keys = [problem.key for problem in only(PROFILE[: PROFILE.index(b" 0x4836a1\n#\t0x4ccaf0")]).problems]
    assert keys == ["cut-mid-stack"]
    assert only(PROFILE.rstrip()).problems == ()


def test_goroutines_of_a_cut_text_say_so() -> None:
    def cut(data: bytes) -> bool:
        return group_profile(profile_of(text_profiles.read(data)[0])).cut

    fewer = PROFILE.replace(b"total 4", b"total 7")
    assert not cut(PROFILE)
    assert not cut(PROFILE.rstrip())
    assert cut(fewer)
    assert cut(fewer.rstrip())
    assert cut(b"goroutine profile: total 4\n")
    assert cut(PROFILE[: PROFILE.index(b"b0\tC:")])
    # What follows shows that the text goes on: then records are missing for another reason.
    assert not cut(fewer + PROFILE)
    assert not cut(fewer + b"INFO the server is up\n")


def test_frames_that_go_hides_are_told() -> None:
    assert profile_of(only(PROFILE)).extra["hidden_leaves"]
    assert not profile_of(only(record("0x21"))).extra["hidden_leaves"]


def test_profiles_between_foreign_lines() -> None:
    text = (LEGACY / "handmade" / "watcher.log").read_bytes()
    threads, goroutines = (one for one in text_profiles.read(text) if one.format == "debug1")
    assert (threads.kind, threads.where, threads.problems) == ("threadcreate", "lines 2-7", ())
    assert threads.go_version == "go1.14.2"
    assert (goroutines.kind, goroutines.where) == ("goroutine", "lines 10-16")
    assert {problem.key: problem.text.args for problem in goroutines.problems} == {
        "records-missing": {"noun": "goroutines", "declared": 5, "read": 4, "missing": 1},
        "foreign-lines": {"lines": 1},
    }


def test_a_hundred_profiles_in_one_stream() -> None:
    readings = text_profiles.read(b"I0313 noise\n".join([PROFILE] * 100))
    assert len(readings) == 100
    assert readings[-1].where == "lines 892-898"
    assert all(reading.problems == () for reading in readings)


def test_not_mine() -> None:
    assert text_profiles.read(b"") == ()
    assert text_profiles.read(b"goroutine 1 [running]:\nmain.main()\n") == ()
    assert text_profiles.read(b"we saw a goroutine profile: total 5\nand went home\n") == ()


def test_memory_maps_after_the_records() -> None:
    reading = only(PROFILE + b"--- Memory map: ---\n  00400000-00500000: /srv/app\n")
    assert [mapping.file for mapping in profile_of(reading).mappings] == ["/srv/app"]


def test_stacks_deeper_than_the_limit_are_cut_and_told() -> None:
    deep = b"goroutine profile: total 1\n1 @" + b" 0x11" * 50 + b"\n"
    reading = only(deep, Limits(max_depth=10))
    assert len(profile_of(reading).stack(0).frames) == 10
    assert [problem.key for problem in reading.problems] == ["stack-too-deep"]


def test_a_reading_that_takes_too_long_stops() -> None:
    text = b"goroutine profile: total 70000\n" + b"1 @ 0x11\n" * 70000
    reading = only(text, Limits(max_seconds=-1))
    assert [problem.key for problem in reading.problems] == ["out-of-time", "records-missing"]
    assert reading.profile is not None


@pytest.mark.parametrize("version", ["go1.21", "go1.27"])
@pytest.mark.parametrize("name", ["goroutine", "goroutineleak", "record.handles"])
def test_the_same_process_as_protobuf(version: str, name: str) -> None:
    """Named frames, counts and labels equal those of debug=0, less the runtime frames that debug=1 hides."""
    text = LEGACY / version / f"{name}.txt"
    if not text.exists():
        assert (version, name) == ("go1.21", "goroutineleak")
        return
    reading = only(text.read_bytes())
    assert reading.problems == ()
    other = pprof.read(unpack(text.with_suffix(".pb.gz").read_bytes(), DEFAULT)[0])
    assert other is not None
    assert _comparable(profile_of(reading)) == _comparable(profile_of(other))


def _comparable(profile: Profile) -> list[tuple[object, ...]]:
    out: list[tuple[object, ...]] = []
    for sample in range(profile.samples):
        frames = profile.stack(int(profile.stack_ids[sample])).frames
        shown = [f for f in frames if not f.function.startswith("0x") and f.function != "runtime.goexit"]
        while shown and shown[0].function.startswith(("runtime.", "internal/runtime/")):
            del shown[0]
        labels = sorted((label.key, label.text) for label in profile.labels(int(profile.label_ids[sample])))
        out.append((tuple(map(str, shown)), tuple(profile.values[:, sample].tolist()), tuple(labels)))
    return sorted(out)
