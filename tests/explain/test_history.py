"""The first release that has the waiting statement, or its function, otherwise than the running one."""

from collections.abc import Mapping

import pytest

from oakum.explain.upstream.history import Function, History, first_change
from oakum.explain.upstream.releases import newer
from oakum.model import Frame

MODULE = "example.com/feed"
SEND = 7  # the line of `w.out <- event` in OLD
OLD = """package feed

// Run sends events.
func (w *Watcher) Run() {
	defer close(w.out)
	for event := range w.in {
		w.out <- event
	}
}

func New() *Watcher {
	return &Watcher{out: make(chan Event)}
}
"""
SAME = """package feed

func (w *Watcher) Run() {
	defer close(w.out) // told to the receiver

	for event := range w.in { w.out <- event }
}
func New() *Watcher { return &Watcher{out: make(chan Event),
	} }
"""
LOGGED = OLD.replace("\tdefer close(w.out)\n", '\tdefer close(w.out)\n\tlog.Print("runs")\n')
MENDED = LOGGED.replace(
    "\t\tw.out <- event\n", "\t\tselect {\n\t\tcase w.out <- event:\n\t\tcase <-w.done:\n\t\t\treturn\n\t\t}\n"
)
BUFFERED = LOGGED.replace("make(chan Event)", "make(chan Event, 1)")
RUN = Function("feed.go", "Run", "Watcher", (SEND,))
NEW = Function("feed.go", "New", "", (12,))


class Proxy:
    """Releases of one module, each a package of one file or several; None cannot be had."""

    def __init__(self, releases: Mapping[str, str | Mapping[str, str] | None], unlisted: tuple[str, ...] = ()) -> None:
        self.releases = releases
        self.listed = [version for version in releases if version not in unlisted]
        self.read: list[str] = []

    def package(self, version: str, directory: str) -> Mapping[str, bytes] | None:
        self.read.append(version)
        held = self.releases.get(version)
        if held is None:
            return None
        files = {"feed.go": held} if isinstance(held, str) else held
        prefix = f"{directory}/" if directory else ""
        inside = {name[len(prefix) :]: text for name, text in files.items() if name.startswith(prefix)}
        return {name: text.encode() for name, text in inside.items() if "/" not in name}

    def since(self, running: str, *functions: Function) -> History:
        return first_change(MODULE, running, self.listed, functions or (RUN,), self.package)


def versions(*texts: str | None) -> dict[str, str | Mapping[str, str] | None]:
    return {f"v1.{number}.0": text for number, text in enumerate(texts)}


def test_the_release_that_changed_the_waiting_statement() -> None:
    proxy = Proxy(versions(OLD, SAME, LOGGED, LOGGED, MENDED, MENDED + "// more\n", MENDED))
    history = proxy.since("v1.0.0")
    lead = history.lead
    assert lead
    assert (lead.module, lead.running, lead.last_alike, lead.changed) == (MODULE, "v1.0.0", "v1.3.0", "v1.4.0")
    assert lead.at_lines
    assert lead.functions == ("Watcher.Run",)
    assert lead.diff == (
        "--- example.com/feed@v1.3.0/feed.go\n"
        "+++ example.com/feed@v1.4.0/feed.go\n"
        "@@ -5,6 +5,10 @@\n"
        " \tdefer close(w.out)\n"
        ' \tlog.Print("runs")\n'
        " \tfor event := range w.in {\n"
        "-\t\tw.out <- event\n"
        "+\t\tselect {\n"
        "+\t\tcase w.out <- event:\n"
        "+\t\tcase <-w.done:\n"
        "+\t\t\treturn\n"
        "+\t\t}\n"
        " \t}\n"
        " }\n"
    )
    assert history.looked[0] == "v1.0.0"
    assert history.skipped == history.missing == ()


@pytest.mark.parametrize("first", range(1, 130, 16))
def test_wherever_it_changed_few_releases_are_read(first: int) -> None:
    proxy = Proxy({f"v1.{at}.0": MENDED if at >= first else OLD for at in range(130)})
    lead = proxy.since("v1.0.0").lead
    assert lead
    assert (lead.last_alike, lead.changed) == (f"v1.{first - 1}.0", f"v1.{first}.0")
    assert len(set(proxy.read)) <= 10


def test_the_function_changed_and_the_statement_did_not() -> None:
    lead = Proxy(versions(OLD, SAME, LOGGED, LOGGED)).since("v1.0.0").lead
    assert lead
    assert (lead.changed, lead.last_alike, lead.at_lines) == ("v1.2.0", "v1.1.0", False)


def test_nothing_changed() -> None:
    history = Proxy(versions(OLD, SAME, OLD)).since("v1.0.0")
    assert history.lead is None
    assert history.looked == ("v1.0.0", "v1.2.0")
    assert Proxy(versions(MENDED, OLD)).since("v1.1.0").lead is None  # only what is newer counts
    assert Proxy({}).since("v1.1.0") == History(None, skipped=("v1.1.0",))


def test_the_one_that_makes_the_channel() -> None:
    proxy = Proxy(versions(OLD, LOGGED, BUFFERED))
    lead = proxy.since("v1.0.0", RUN, NEW).lead
    assert lead
    assert (lead.changed, lead.functions, lead.at_lines) == ("v1.2.0", ("New",), True)
    without = proxy.since("v1.0.0", RUN).lead
    assert without
    assert (without.changed, without.at_lines) == ("v1.1.0", False)


def test_the_statement_that_moved_into_another_goroutine_changed() -> None:
    moved = OLD.replace("\t\tw.out <- event\n", "\t\tgo func() {\n\t\t\tw.out <- event\n\t\t}()\n")
    lead = Proxy(versions(OLD, moved)).since("v1.0.0").lead
    assert lead
    assert lead.at_lines


def test_a_wait_in_a_select_is_its_cases_not_their_bodies() -> None:
    old = "package feed\n\nfunc Run() {\n\tselect {\n\tcase <-a:\n\t\tf()\n\tcase <-b:\n\t}\n}\n"
    run = Function("feed.go", "Run", "", (4,))
    body = Proxy(versions(old, old.replace("f()", "g()"))).since("v1.0.0", run).lead
    assert body
    assert not body.at_lines
    case = Proxy(versions(old, old.replace("<-b", "<-ctx.Done()"))).since("v1.0.0", run).lead
    assert case
    assert case.at_lines


def test_a_function_that_moved_to_another_file() -> None:
    here = {"feed.go": "package feed\n", "run.go": OLD, "run_test.go": MENDED}
    assert Proxy({"v1.0.0": OLD, "v1.1.0": here}).since("v1.0.0").lead is None
    here["run.go"] = MENDED
    lead = Proxy({"v1.0.0": OLD, "v1.1.0": here}).since("v1.0.0").lead
    assert lead
    assert "+++ example.com/feed@v1.1.0/run.go\n" in lead.diff


@pytest.mark.parametrize(
    "later", [{"feed.go": "package feed\n"}, {"other/feed.go": OLD}, {"feed.go": "no Go at all {{{"}]
)
def test_a_function_that_is_gone_changed(later: dict[str, str]) -> None:
    lead = Proxy({"v1.0.0": OLD, "v1.1.0": later}).since("v1.0.0").lead
    assert lead
    assert (lead.changed, lead.at_lines) == ("v1.1.0", True)
    assert "+++ /dev/null\n" in lead.diff


def test_functions_that_the_running_release_does_not_declare() -> None:
    proxy = Proxy(versions(OLD, MENDED))
    history = proxy.since("v1.0.0", Function("feed.go", "Gone"), RUN)
    assert history.missing == ("Gone",)
    assert history.lead
    assert history.lead.functions == ("Watcher.Run",)
    assert proxy.since("v1.0.0", Function("feed.go", "Gone")) == History(None, ("v1.0.0",), missing=("Gone",))


def test_releases_that_cannot_be_had_are_passed_over() -> None:
    texts = versions(OLD, OLD, None, None, None, MENDED, None)
    history = Proxy(texts).since("v1.0.0")
    assert history.lead
    assert (history.lead.last_alike, history.lead.changed) == ("v1.1.0", "v1.5.0")
    assert history.skipped == ("v1.2.0", "v1.3.0", "v1.4.0", "v1.6.0")
    assert Proxy(versions(OLD, None, None)).since("v1.0.0").lead is None
    assert Proxy(versions(None, MENDED)).since("v1.0.0") == History(None, skipped=("v1.0.0",))


def test_the_newest_releases_may_all_be_out_of_reach() -> None:
    history = Proxy(versions(OLD, OLD, MENDED, MENDED, *[None] * 12)).since("v1.0.0")
    assert history.lead
    assert history.lead.changed == "v1.2.0"


def test_releases_that_the_proxy_does_not_list() -> None:
    numbers = ("1.0.0", "1.0.3", "1.1.0", "1.2.0", "1.3.0", "1.3.1", "1.3.2", "1.3.3")
    for first in numbers[2:]:
        texts = {f"v{number}": MENDED if number >= first else OLD for number in numbers}
        lead = Proxy(texts, unlisted=tuple(f"v{number}" for number in numbers[2:-1])).since("v1.0.0").lead
        assert lead
        assert lead.changed == f"v{first}"


def test_patches_that_follow_and_are_not_listed() -> None:
    texts = {"v1.0.0": OLD, "v1.0.1": OLD, "v1.0.2": MENDED, "v1.0.3": MENDED, "v1.1.0": MENDED}
    lead = Proxy(texts, unlisted=("v1.0.1", "v1.0.2", "v1.0.3")).since("v1.0.0").lead
    assert lead
    assert (lead.last_alike, lead.changed) == ("v1.0.1", "v1.0.2")


def test_which_releases_are_newer() -> None:
    listed = [
        "v1.10.0",
        "v1.9.0",
        "v1.2.0",
        "v1.9.1-rc.1",
        "v1.9.0",
        "v2.0.0+incompatible",
        "nonsense",
        "v1.9.2-0.20200101000000-0123456789ab",
    ]
    assert newer("v1.2.0", listed) == ["v1.9.0", "v1.10.0"]
    assert newer("v1.9.1-rc.0", listed) == ["v1.9.1-rc.1", "v1.10.0"]
    assert newer("v1.9.0-rc.10", ["v1.9.0-rc.9", "v1.9.0-rc.11", "v1.9.0-rc.x", "v1.9.0"]) == [
        "v1.9.0-rc.11",
        "v1.9.0-rc.x",
        "v1.9.0",
    ]
    assert newer("v1.3.1-0.20200101000000-0123456789ab", [*listed, "v1.3.1"]) == ["v1.3.1", "v1.9.0", "v1.10.0"]
    assert newer("v1.0.0+incompatible", listed) == ["v2.0.0+incompatible"]
    assert newer("(devel)", listed) == []
    assert newer("v0.0.0-kubernetes-1.12.4", ["v0.15.7", "v0.16.0-beta.1"]) == ["v0.15.7"]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("example.com/feed.(*Watcher).Run", ("Run", "Watcher")),
        ("example.com/feed.(*Watcher).Run.func1", ("Run", "Watcher")),
        ("example.com/feed.(*Watcher).Run-fm", ("Run", "Watcher")),
        ("example.com/feed.(*Cache[...]).Run.func1.2", ("Run", "Cache")),
        ("example.com/feed.Watcher.Run", ("Run", "Watcher")),
        ("example.com/feed.New.func2.gowrap1", ("New", "")),
        ("example.com/feed.New[...]", ("New", "")),
        ("example.com/feed.init.func1", None),
        ("example.com/feed.glob..func1", None),
        ("example.com/feed.init.0.func1", None),
    ],
)
def test_the_declared_function_of_a_frame(function: str, expected: tuple[str, str] | None) -> None:
    found = Function.of(Frame(function, "x/feed.go", 4), "feed.go")
    assert (found and (found.name, found.receiver)) == expected


def test_methods_of_generic_types_and_closures_inlined_elsewhere() -> None:
    text = "package feed\n\nfunc (c *Cache[K, V]) Run() {\n\tc.ch <- 1\n}\n\nfunc run() {\n\tch <- 1\n}\n"
    other = text.replace("<- 1", "<- 2")
    proxy = Proxy(versions(text, other))
    for function in (Function("feed.go", "Run", "Cache", (4,)), Function("feed.go", "run", "main", (8,))):
        history = proxy.since("v1.0.0", function)
        assert history.missing == ()
        assert history.lead
        assert history.lead.at_lines


def test_a_long_diff_is_cut() -> None:
    long = OLD.replace("\t\tw.out <- event\n", "\t\tw.out <- event\n" + "\t\tf()\n" * 1000)
    lead = Proxy(versions(OLD, long)).since("v1.0.0").lead
    assert lead
    assert lead.diff.count("\n") < 260
    assert lead.diff.rstrip().endswith("more lines")


@pytest.mark.slow
def test_hostile_source_is_read_within_bounds() -> None:
    begin = "package feed\n\nfunc (w *Watcher) Run() {\n"
    deep = begin + "if x {\n" * 3000 + "w.out <- event\n" + "}\n" * 3001
    long = begin + "if x {\n}" + " else if x {\n}" * 3000 + "}\n"
    wide = begin + "w.out <- event\n" * 25_000 + "}\n"
    assert Proxy(versions(OLD, deep, wide, long)).since("v1.0.0").lead
    assert Proxy(versions(long, deep, wide)).since("v1.0.0", Function("feed.go", "Run", "Watcher", (4, 5, 700))).lead
