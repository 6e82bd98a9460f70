"""What was acquired of a module and left behind: goroutines of the module, with nothing of our own on their stacks."""

import pytest

from go_scenes import Texts, expected, go, sentences, told
from oakum.explain.code.program import Program
from oakum.explain.network import transports
from oakum.explain.reason import Reason, StackInSource
from oakum.explain.workers import forgotten
from oakum.model import Evidence, Frame, Growth, Site, Suspect, Text, Trace
from oakum.model.vocabulary import EvidenceKind

READ_EVENTS = "github.com/fsnotify/fsnotify.(*inotify).readEvents"
MADE = Frame("github.com/fsnotify/fsnotify.newBackend", "github.com/fsnotify/fsnotify@v1.10.1/backend_inotify.go", 165)
READ_LOOP = "net/http.(*persistConn).readLoop"
DIALLED = Frame("net/http.(*Transport).dialConn", "/usr/local/go/src/net/http/transport.go", 1944)


def stood(source: str, frame: Frame, made: Frame, kind: EvidenceKind) -> StackInSource:
    """Return the scene of goroutines that stand in somebody else's code beside a program of ours."""
    trace = Trace((frame,), "IO wait", made)
    evidence = Evidence(kind, Text("x"), "sha256:" + "1" * 64, "1", "x")
    growth = (Growth("goroutines", (1, 30, 60)),)
    suspect = Suspect((Site("blocked", frame),), ("unstopped-worker",), (evidence,), growth=growth, traces=(trace,))
    return StackInSource.of(suspect, Program(Texts({"main": source})), trace)


def check(found: Reason | None, source: str) -> None:
    wanted = expected(source)
    assert (found is None) == (not wanted)
    if found is not None:
        assert found.mechanism == "unstopped-worker"
        assert set(wanted) <= set(told(found)), told(found)
        assert "code.go:" in sentences(found)


WATCHERS = {
    "closed only when it fails": """
        func changed(dir string) (string, error) {
            w, err := fsnotify.NewWatcher() //! acquired
            if err != nil {
                return "", err
            }
            if err := w.Add(dir); err != nil {
                w.Close()
                return "", err
            }
            e := <-w.Events
            return e.Name, nil //! never-released
        }""",
    "closed": """
        func changed(dir string) (string, error) {
            w, err := fsnotify.NewWatcher()
            if err != nil {
                return "", err
            }
            defer w.Close()
            e := <-w.Events
            return e.Name, nil
        }""",
    "handed on": """
        func changed(dir string) error {
            w, err := fsnotify.NewWatcher()
            if err != nil {
                return err
            }
            keep(w)
            return nil
        }""",
    "one for the process": """
        func main() {
            w, err := fsnotify.NewWatcher()
            if err != nil {
                return
            }
            <-w.Events
        }""",
}


@pytest.mark.parametrize("name", WATCHERS)
def test_what_a_module_works_for_and_nobody_gives_back(name: str) -> None:
    source = go(WATCHERS[name], "github.com/fsnotify/fsnotify")
    frame = Frame(READ_EVENTS, "github.com/fsnotify/fsnotify@v1.10.1/backend_inotify.go", 368)
    check(forgotten.reason(stood(source, frame, MADE, "steady-growth")), source)


def test_a_module_that_is_not_on_the_stack_is_not_blamed() -> None:
    source = go(WATCHERS["closed only when it fails"], "github.com/fsnotify/fsnotify")
    frame = Frame("github.com/nats-io/nats%2ego.(*Conn).flusher", "github.com/nats-io/nats.go@v1.42.0/nats.go", 10)
    assert forgotten.reason(stood(source, frame, frame, "steady-growth")) is None


SUBSCRIBED = {
    "left by the timeout": """
        func first(nc *nats.Conn, subject string) error {
            hit := make(chan *nats.Msg, 1)
            sub, err := nc.Subscribe(subject, func(m *nats.Msg) { hit <- m }) //! acquired
            if err != nil {
                return err
            }
            select {
            case <-hit:
                return sub.Unsubscribe()
            case <-time.After(time.Second):
                return nil //! never-released
            }
        }""",
    "given back": """
        func first(nc *nats.Conn, subject string) error {
            sub, err := nc.Subscribe(subject, func(m *nats.Msg) {})
            if err != nil {
                return err
            }
            defer sub.Unsubscribe()
            return nil
        }""",
}


@pytest.mark.parametrize("name", SUBSCRIBED)
def test_a_module_whose_path_ends_in_go(name: str) -> None:
    source = go(SUBSCRIBED[name], "github.com/nats-io/nats.go", "time")
    file = "github.com/nats-io/nats.go@v1.43.0/nats.go"
    frame = Frame("github.com/nats-io/nats%2ego.(*Conn).waitForMsgs", file, 3193)
    made = Frame("github.com/nats-io/nats%2ego.(*Conn).subscribeLocked", file, 4483)
    check(forgotten.reason(stood(source, frame, made, "steady-growth")), source)


TRANSPORTS = {
    "for each call": """
        type lookup struct{}
        func (l *lookup) client() *http.Client {
            return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}} //! made
        }
        func (l *lookup) ServeHTTP(w http.ResponseWriter, r *http.Request) { l.client().Get("http://a.example") }""",
    "once": """
        func main() {
            c := &http.Client{Transport: &http.Transport{}}
            http.HandleFunc("/", func(http.ResponseWriter, *http.Request) { c.Get("http://a.example") })
        }""",
    "whose connections end": """
        func client() *http.Client {
            return &http.Client{Transport: &http.Transport{IdleConnTimeout: time.Minute}}
        }
        func handle(w http.ResponseWriter, r *http.Request) { client().Get("http://a.example") }""",
    "that is closed": """
        func handle(w http.ResponseWriter, r *http.Request) {
            t := &http.Transport{}
            defer t.CloseIdleConnections()
            (&http.Client{Transport: t}).Get("http://a.example")
        }""",
}


@pytest.mark.parametrize("name", TRANSPORTS)
def test_a_transport_for_each_call(name: str) -> None:
    source = go(TRANSPORTS[name], "net/http", "time")
    frame = Frame(READ_LOOP, "/usr/local/go/src/net/http/transport.go", 2400)
    found = transports.reason(stood(source, frame, DIALLED, "idle-connections"))
    check(found, source)
    assert found is None or found.endless


def test_idle_connections_of_a_pool_are_not_asked_about() -> None:
    source = go(TRANSPORTS["for each call"], "net/http", "time")
    frame = Frame(READ_LOOP, "/usr/local/go/src/net/http/transport.go", 2400)
    assert transports.reason(stood(source, frame, DIALLED, "steady-growth")) is None
