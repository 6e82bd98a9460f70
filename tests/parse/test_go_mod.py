"""go.mod, go.sum, vendor/modules.txt and Go's own words on a build: recorded of one module, written and vendored by Go."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakum.model import Build, Capture, Reading
from oakum.parse import parse

DATA = Path(__file__).parent / "testdata" / "builds"
RECORDED = sorted(DATA.iterdir())


def one(text: str | bytes) -> Reading:
    (reading,) = parse(Capture("x", text.encode() if isinstance(text, str) else text))
    return reading


def built(text: str | bytes) -> Build:
    reading = one(text)
    assert reading.kind == "build", reading.problems
    assert reading.build is not None
    return reading.build


def test_go_mod() -> None:
    reading = one((DATA / "go.mod.txt").read_bytes())
    build = reading.build
    assert (reading.kind, reading.format, reading.go_version, reading.problems) == ("build", "go.mod", None, ())
    assert build == Build(
        main="example.com/shop",
        modules={
            "github.com/google/uuid": "v1.6.0", "example.com/ledger": "(replaced)", "github.com/pkg/errors": "v0.9.1",
            "golang.org/x/sync": "v0.8.0",
        },
        replaced={"example.com/ledger": "./ledger", "github.com/pkg/errors": "github.com/pkg/errors"},
        settings={"go.mod": "1.21", "toolchain": "go1.21.3"},
        linked=False,
        lines={
            "github.com/google/uuid": 8, "example.com/ledger": 11, "github.com/pkg/errors": 12, "golang.org/x/sync": 13,
        },
    )  # fmt: skip


@pytest.mark.parametrize(
    ("replace", "version", "instead"),
    [
        ("", "v1.2.0", None),
        ("replace a.org/b => ../b", "(replaced)", "../b"),
        ("replace a.org/b v1.2.0 => /srv/b", "(replaced)", "/srv/b"),
        ("replace a.org/b => c.org/fork v1.2.1-fix", "v1.2.1-fix", "c.org/fork"),
        ("replace a.org/b v1.1.0 => c.org/fork v1.1.1", "v1.2.0", None),
        ("replace a.org/b v1.2.0 => c.org/one v1.0.0\nreplace a.org/b => c.org/all v2.0.0", "v1.0.0", "c.org/one"),
        ('replace "a.org/b" => `C:\\my code\\b`', "(replaced)", "C:\\my code\\b"),
    ],
)
def test_replacements(replace: str, version: str, instead: str | None) -> None:
    build = built(f"module x.org/y\n\nrequire(\n\ta.org/b v1.2.0//indirect\n)\n{replace}\n")
    assert build.modules == {"a.org/b": version}
    assert build.replaced == ({"a.org/b": instead} if instead else {})


@pytest.mark.parametrize(("go", "named"), [("1.16", True), ("1.17", False), ("1.26.0", False)])
def test_what_is_only_replaced_is_built_if_indirect_modules_are_not_named(go: str, named: bool) -> None:
    build = built(f"module x.org/y\ngo {go}\nreplace a.org/b => a.org/b v1.2.3\n")
    assert build.modules == ({"a.org/b": "v1.2.3"} if named else {})


def test_lines_that_cannot_be_read_are_counted() -> None:
    reading = one("module x.org/y\n\ngo 1.21\nrequire (\n\ta.org/b master\n\ta.org/c v1.0.0\n)\n")
    assert reading.build is not None
    assert reading.build.modules == {"a.org/c": "v1.0.0"}
    (problem,) = reading.problems
    assert (problem.key, problem.where, problem.text.args) == ("unread-lines", "line 5", {"lines": 1})


@pytest.mark.parametrize(
    "text",
    [
        "module loaded\nit went on\nand on it went\n",
        "go on with it\n",
        "require (\n",
        "# Oakum v1.2.3\n\nFinds out why.\n",
        "# Oakum v1.2.3\n",
        "# a.org/b v1.2.3\nsome words here\n",
        "github.com/pkg/errors v0.9.1 h1:short=\n",
    ],
)
def test_what_is_none(text: str) -> None:
    assert one(text).kind == "unknown"


def test_go_sum() -> None:
    reading = one((DATA / "go.sum.txt").read_bytes())
    modules = {"github.com/google/uuid": "v1.6.0", "github.com/pkg/errors": "v0.9.1", "golang.org/x/sync": "v0.8.0"}
    assert (reading.kind, reading.format, reading.notes) == ("build", "go.sum", {})
    assert reading.build == Build(modules=modules, linked=False)


def test_of_several_versions_in_a_go_sum_the_highest_is_taken() -> None:
    hashed = "h1:FEBLx1zS214owpjy7qsBeixbURkuhQAwrK5UwLGTwt4="
    lines = [
        f"a.org/b {version} {hashed}" for version in ("v1.9.0", "v1.10.0-rc.1", "v1.10.0", "v2.0.0+incompatible/go.mod")
    ]
    reading = one("\n".join([*lines, f"a.org/only v1.0.0/go.mod {hashed}", ""]))
    assert reading.build is not None
    assert reading.build.modules == {"a.org/b": "v1.10.0"}
    assert "a.org/b" in next(iter(reading.notes.values()))


def test_modules_txt() -> None:
    reading = one((DATA / "modules.txt").read_bytes())
    assert (reading.kind, reading.format) == ("build", "modules.txt")
    assert reading.build == Build(
        modules={
            "example.com/ledger": "(replaced)", "github.com/google/uuid": "v1.6.0", "github.com/pkg/errors": "v0.9.1",
            "golang.org/x/sync": "v0.8.0",
        },
        replaced={"example.com/ledger": "./ledger", "github.com/pkg/errors": "github.com/pkg/errors"},
        packages=frozenset(
            {"example.com/ledger", "github.com/google/uuid", "github.com/pkg/errors", "golang.org/x/sync/errgroup"}
        ),
        linked=False,
    )  # fmt: skip


def test_a_vendored_module_without_packages_is_not_built() -> None:
    build = built("# a.org/b v1.0.0\n## explicit\n# a.org/c v1.0.0\na.org/c/d\n")
    assert build.modules == {"a.org/c": "v1.0.0"}


def test_go_s_own_words_say_the_same_in_every_form() -> None:
    listed, own, json = (built((DATA / name).read_bytes()) for name in ("listed.txt", "own.txt", "listed.json"))
    assert listed == own == json
    assert (own.go, own.path, own.main_version) == ("go1.26.8", "example.com/shop/cmd/orders", "(devel)")
    assert own.modules is not None
    assert own.modules["github.com/pkg/errors"] == "v0.9.1"
    assert own.settings is not None
    assert own.settings["-trimpath"] == "true"


def test_quoted_settings_are_read() -> None:
    text = 'go\tgo1.20.5\npath\tx\nbuild\t-ldflags="-s -X \'a.b=\\"c\\"\' -X k8s.io/d.e=v1.27.3"\nbuild\tvcs=git\n'
    assert built(text).settings == {"-ldflags": "-s -X 'a.b=\"c\"' -X k8s.io/d.e=v1.27.3", "vcs": "git"}


@given(st.text(max_size=200), st.sampled_from(RECORDED), st.integers(0, 900))
def test_nothing_raises(junk: str, path: Path, at: int) -> None:
    data = path.read_bytes()
    readings = parse(Capture("x", data[:at] + junk.encode("utf-8", "surrogatepass") + data[at:]))
    assert not [problem for reading in readings for problem in reading.problems if problem.key == "internal"]


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name)
def test_cut_anywhere_still_gives_a_value(path: Path) -> None:
    data = path.read_bytes()
    for end in range(0, len(data), 7):
        readings = parse(Capture("x", data[:end]))
        assert readings
        assert not [problem for reading in readings for problem in reading.problems if problem.key == "internal"]


@pytest.mark.parametrize(
    "text",
    [
        "module a.org/b\n" + "require (\n" * 20_000,
        "module a.org/b\n" + 'require "' + "\\" * 100_000,
        "module a.org/b\n" + "require " + '\\"' * 100_000 + "\n" + "`" * 100_001,
        "module a.org/b\nrequire " + "x" * 500_000 + " v1.0.0\n",
        "# a.org/b v1.0.0\n" + "a.org/b/c\n" * 50_000,
        "a.org/b v1.0.0 h1:FEBLx1zS214owpjy7qsBeixbURkuhQAwrK5UwLGTwt4=\n" * 20_000,
        '{"GoVersion": ' + "[" * 100_000,
        '{"goVersion": "go1.21", "version": ' + "9" * 50_000 + "}",
        '{"org.opencontainers.image.version": ' + '{"a":' * 50_000,
    ],
    ids=range(9),
)
def test_hostile_texts_take_their_time_and_no_more(text: str) -> None:
    readings = parse(Capture("x", text.encode()))
    assert not [problem for reading in readings for problem in reading.problems if problem.key == "internal"]
