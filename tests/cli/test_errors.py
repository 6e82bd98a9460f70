"""The mistakes that a new user makes: each is told with what was read, where, and what to do next; no traceback."""

import gzip
import socket
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest

from oakum.cli import COMMANDS
from oakum.collect import files
from oakum.model import Capture
from support import DEMO, Answer

Call = Callable[..., Answer]


class Mistake(NamedTuple):
    """What somebody typed, how it ends, and what is said: what was read, and the next step."""

    typed: str
    code: int
    read: str
    next: str


# {web} is a server without pprof, {dead} an address where nothing listens.
MISTAKES = (
    # the command
    Mistake("dignose dump.txt", 2, "no command 'dignose'", "Did you mean diagnose?"),
    Mistake("dump.txt", 2, "no command 'dump.txt'", "oakum diagnose dump.txt"),
    Mistake("http://localhost:6060", 2, "no command 'http://localhost:6060'", "oakum diagnose http://localhost:6060"),
    Mistake("pid:812", 2, "no command 'pid:812'", "oakum diagnose pid:812"),
    Mistake("help", 2, "no command 'help'", "oakum COMMAND --help"),
    Mistake("version", 2, "no command 'version'", "oakum --version"),
    Mistake("xyzzy", 2, "no command 'xyzzy'", "Commands: diagnose,"),
    # options
    Mistake("diagnose dump.txt --jsn", 2, "--jsn", "Did you mean '--json'?"),
    Mistake("top heap.pb.gz -foucs x", 2, "--foucs", "--focus"),
    Mistake("diagnose --lang fr dump.txt", 2, "'fr'", "'en', 'zh'"),
    Mistake("diagnose dump.txt -o", 2, "'-o' requires an argument", "Try: oakum diagnose --help"),
    Mistake("top heap.pb.gz -cum -flat", 2, "-cum, -flat", "exclude one another"),
    Mistake("top heap.pb.gz -cum=maybe", 2, "-cum=maybe", "true or false"),
    Mistake("top heap.pb.gz -sample_index=cpu", 2, "-sample_index=cpu", "inuse_space"),
    Mistake("top heap.pb.gz -nodecount=many", 2, "many", "--nodecount"),
    Mistake("top heap.pb.gz -focus=(", 2, "-focus=(", "not a regular expression"),
    Mistake("goroutines dump.txt --older soon", 2, "--older soon", "write 90s, 10m"),
    Mistake("goroutines dump.txt --by colour", 2, "--by colour", "there are state, place"),
    Mistake("capture {dead} --every soon", 2, "soon", "write 10s, 2m"),
    Mistake("scan --mechanism abandoned . ", 2, "--mechanism abandoned", "abandoned-"),
    Mistake("scan --mechanism xyzzy .", 2, "--mechanism xyzzy", "use one of abandoned-"),
    # nothing named
    Mistake("diagnose", 2, "Missing argument 'EVIDENCE...'", "http://HOST:6060"),
    Mistake("scan", 2, "Missing argument 'DIR|FILE...'", "a go.mod or a Go binary"),
    Mistake("capture", 2, "Missing argument 'TARGET...'", "http://HOST:6060"),
    Mistake(
        "peek heap.pb.gz", 2, "heap.pb.gz was taken for the REGEXP", "usage: oakum peek [OPTIONS] REGEXP EVIDENCE..."
    ),
    Mistake(
        "list heap.pb.gz", 2, "heap.pb.gz was taken for the REGEXP", "usage: oakum list [OPTIONS] REGEXP EVIDENCE..."
    ),
    Mistake("diagnose ''", 2, "a target is empty", "shell variable"),
    Mistake("known show", 2, "show what?", "oakum known show ID"),
    Mistake("known match", 2, "match what?", "a file, a directory or a running target: http://HOST:6060"),
    Mistake("known search", 2, "search what?", "a module, a function, words of the symptom"),
    Mistake("list", 2, "Missing argument 'REGEXP'", "oakum list main.worker heap.pb.gz"),
    Mistake("peek", 2, "Missing argument 'REGEXP'", "oakum peek main.worker heap.pb.gz"),
    Mistake("list --finding 1", 2, "Missing argument 'EVIDENCE...'", "http://HOST:6060"),
    Mistake("report", 2, "Missing argument 'SAVED'", "`oakum diagnose EVIDENCE -o NAME` wrote"),
    # what is named is not there, or not what it seems
    Mistake("diagnose heap.pb", 4, "heap.pb: no such file or directory (looked from ", "there is heap.pb.gz"),
    Mistake("top before/heap.pb.gz", 4, "before/heap.pb.gz: no such file", "looked from "),
    Mistake("scan gone", 4, "gone: no such file", "a go.mod or a Go binary"),
    Mistake("diagnose empty.pb.gz", 4, "empty.pb.gz: The file is empty", "fetch it again"),
    Mistake("top empty.pb.gz", 4, "empty.pb.gz: The file is empty", "fetch it again"),
    Mistake("top shot.png", 4, "shot.png: This is a picture (PNG)", "hand in the profile behind it"),
    Mistake("diagnose page.pb.gz", 4, 'page.pb.gz: This is a web page ("404 Not Found")', "curl -o"),
    Mistake("top nothing", 4, "nothing: the directory is empty", "oakum capture TARGET -o DIR"),
    Mistake("diagnose letters", 4, "letters/a.md: This is a line of text", "oakum diagnose http://HOST:PORT"),
    Mistake("diagnose closed/dump.txt", 4, "closed/dump.txt: permission denied", "run as a user who can read it"),
    Mistake("goroutines heap.pb.gz", 4, "heap.pb.gz: this is a heap profile", "oakum top"),
    Mistake("goroutines heaps", 4, "heaps/heap.pb.gz: heap, no goroutine or goroutineleak", "oakum top shows it"),
    Mistake("capture empty.pb.gz", 4, "empty.pb.gz: not evidence: The file is empty", "oakum capture http://HOST:PORT"),
    Mistake("capture letters", 4, "letters/a.md: not evidence: This is a line of text", "save a dump first: `curl -o"),
    Mistake("scan nothing", 4, "nothing: no Go source there", "name the directory of a checkout that has go.mod"),
    Mistake("known match shot.png", 4, "shot.png: This is a picture (PNG)", "curl -o goroutine.txt"),
    Mistake("list --finding 1 shot.png", 4, "shot.png: This is a picture (PNG)", "curl -o goroutine.txt"),
    Mistake("diff shot.png empty.pb.gz", 4, "shot.png: This is a picture (PNG)", "hand in the profile behind it"),
    Mistake("report empty.pb.gz", 4, "empty.pb.gz: ", "oakum diagnose -o report.json"),
    Mistake("diff dump.txt", 2, "dump.txt holds 1", "oakum diff BEFORE AFTER"),
    Mistake("diff dump.txt heap.pb.gz", 2, "goroutine, heap", "oakum inspect"),
    Mistake("goroutines dump.txt --dump 7", 2, "--dump 7", "oakum inspect"),
    Mistake("diagnose --binary dump.txt dump.txt", 4, "--binary dump.txt", "go version -m"),
    Mistake("diagnose --source gone dump.txt", 2, "--source gone", "no such directory"),
    Mistake("list --finding 9 dump.txt", 2, "--finding 9", "available: 1 ("),
    Mistake("known show kubernetes-1", 2, "kubernetes-1", "`oakum known` lists them"),
    # what runs
    Mistake("diagnose {dead}", 4, "connection refused", "`oakum find` lists the Go programs"),
    Mistake("diagnose {web}", 4, "no pprof here (looked at /debug/pprof/", "name it: http://HOST:PORT/PREFIX"),
    Mistake("top {web}/metrics", 4, "looked at /metrics/", "http://HOST:PORT/PREFIX"),
    Mistake("diagnose htp://orders:6060", 2, "htp://orders:6060", "http://?"),
    Mistake("diagnose gopher://orders", 2, "gopher://orders: unknown kind of target", "kube://"),
    Mistake("diagnose pid:orders", 2, "pid:orders", "`oakum find` lists"),
    Mistake("diagnose pid:99999999", 4, "pid:99999999: there is no such process", "`oakum find` lists"),
    Mistake("diagnose unix:///gone.sock", 4, "unix:///gone.sock", "is the daemon running"),
    Mistake("diagnose kube://orders", 2, "kube://orders", "kube://pod/NAMESPACE/NAME"),
    Mistake("diagnose kube://pod/shop/orders", 2, "no kubeconfig: looked at", "--kubeconfig FILE"),
    Mistake("diagnose {dead} --token-file gone", 2, "gone", "--token-file"),
    Mistake("diagnose {dead} -H nonsense", 2, "-H", "'Name: value'"),
    # where it goes
    Mistake("top heap.pb.gz -o gone/top.txt", 4, "gone/top.txt: cannot be written", "mkdir -p "),
    Mistake("top heap.pb.gz -o heap.pb.gz", 2, "heap.pb.gz is one of the inputs", "name another"),
    Mistake("flame heap.pb.gz -o page.pb.gz", 2, "-o page.pb.gz", ".html"),
    Mistake("flame heap.pb.gz -o there.html", 4, "there.html exists", "--force"),
    Mistake("graph heap.pb.gz -o x.docx", 2, "-o x.docx", ".svg"),
    Mistake("capture dump.txt -o -", 2, "-o -", "name a directory"),
    Mistake("capture dump.txt -o heap.pb.gz", 2, "heap.pb.gz", ".tar.gz"),
    Mistake("capture dump.txt -o letters", 2, "letters", "name another place"),
    Mistake("completion tcsh", 2, "'tcsh'", "'bash', 'zsh', 'fish'"),
)


@pytest.fixture(scope="module")
def web() -> Iterator[str]:
    """Lend a server that serves something, but no pprof."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(404)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = Thread(target=lambda: server.serve_forever(0.01), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def dead() -> Iterator[str]:
    """Lend an address where nothing listens: it is taken, so that nobody else gets it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand among files of all kinds, with an empty home."""
    for name in ("letters", "nothing", "closed", "heaps"):
        (tmp_path / name).mkdir()
    (tmp_path / "dump.txt").write_bytes(gzip.decompress((DEMO / "after.goroutine.txt.gz").read_bytes()))
    (tmp_path / "heap.pb.gz").write_bytes((DEMO / "after.heap.pb.gz").read_bytes())
    (tmp_path / "heaps" / "heap.pb.gz").write_bytes((DEMO / "after.heap.pb.gz").read_bytes())
    (tmp_path / "empty.pb.gz").touch()
    (tmp_path / "shot.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (tmp_path / "page.pb.gz").write_text("<html><head><title>404 Not Found</title></head><body>no</body></html>")
    (tmp_path / "letters" / "a.md").write_text("hello\n")
    (tmp_path / "there.html").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "nothing"))
    monkeypatch.setenv("PPROF_TMPDIR", str(tmp_path / "pprof"))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    return tmp_path


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Close a file to this user, also when that is root."""
    really = files._open

    def opened(path: Path, origin: str) -> Capture:
        if path.parent.name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return really(path, origin)

    monkeypatch.setattr(files, "_open", opened)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.typed)
@pytest.mark.usefixtures("here", "closed")
def test_a_mistake_is_told_with_the_next_step(mistake: Mistake, web: str, dead: str, oakum: Call) -> None:
    def there(text: str) -> str:
        return text.replace("{web}", web).replace("{dead}", dead)

    words = [there(word) if word != "''" else "" for word in mistake.typed.split()]
    answer = oakum(*words)
    assert answer.code == mistake.code, answer.err
    assert there(mistake.read) in answer.err
    assert mistake.next in answer.err
    assert answer.err.startswith("oakum: ")
    assert "Traceback" not in answer.err
    assert "internal error" not in answer.err
    assert not answer.out, "data alone goes to stdout"


@pytest.mark.usefixtures("here")
def test_an_empty_directory_is_named_once(oakum: Call) -> None:
    answer = oakum("diagnose", "nothing")
    assert answer.err.count("the directory is empty") == 1
    beside = oakum("diagnose", "--no-source", "nothing", "dump.txt")
    assert beside.code == 1
    assert (
        beside.err == "oakum: left out: nothing: the directory is empty; capture into it: oakum capture TARGET -o DIR\n"
    )


@pytest.mark.parametrize("verb", [name for name, _ in COMMANDS])
def test_an_unknown_option_leads_to_the_manual(verb: str, oakum: Call) -> None:
    answer = oakum(verb, "--no-such-option", "x")
    assert answer.code == 2
    assert "--no-such-option" in answer.err
    assert f"Try: oakum {verb} --help" in answer.err


def test_a_file_that_fails_in_the_midst_is_named(oakum: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: object) -> int:
        raise PermissionError(13, "Permission denied", "/srv/orders/go.mod")

    monkeypatch.setattr("oakum.cli.invoke", fails)
    monkeypatch.setattr("os.dup2", lambda *_: None)
    assert oakum("scan", ".") == (4, "", "oakum: /srv/orders/go.mod: Permission denied\n")


@pytest.mark.parametrize("place", ["before", "after"])
def test_an_option_may_stand_anywhere(place: str, here: Path, oakum: Call) -> None:
    words = ["--json", "heap.pb.gz"] if place == "before" else ["heap.pb.gz", "--json"]
    assert oakum("top", *words).code == 0
