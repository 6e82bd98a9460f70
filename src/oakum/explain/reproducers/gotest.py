"""One way to call leaking code -> the text of a Go test file that fails when something of the calls stays behind.

The file stands alone: it imports the standard library and what the code itself imports, and declares every helper. NUL
and its neighbours are filled in later (DraftedTest): names, patience, and the bytes that may stay.
"""

import re
from typing import Literal

from msgspec import Struct, field

from oakum.model import DraftedTest

CALLS = 40
_SETTLES = 1  # second in which calls get as far as the place
# 800*time.Millisecond
_LIMIT = re.compile(r"\b\d+\s*\*\s*time\.(?:Millisecond|Second|Minute|Hour)\b")

Behaviour = Literal["silent", "unread", "half", "refusing", "odd", "slow"]
# What the server in the test does. All but the first two answer HTTP.
_ANSWERS: dict[Behaviour, str] = {
    "half": "w.(http.Flusher).Flush()\n<-r.Context().Done()",
    "refusing": 'http.Error(w, "refused", http.StatusServiceUnavailable)',
    "odd": 'w.Header().Set("Content-Type", "application/x-other")\nfmt.Fprint(w, "{}")',
    "slow": 'time.Sleep(500 * time.Millisecond)\nfmt.Fprint(w, "{}")',
}
_RAW: dict[Behaviour, str] = {"silent": "go io.Copy(io.Discard, conn)", "unread": "defer conn.Close()"}
_HELPERS = {
    "repeated": """// repeated\3 runs a task of the program as its framework does, until the test ends.
func repeated\3(ctx context.Context, task func(context.Context)) {
	for ctx.Err() == nil {
		task(ctx)
		time.Sleep(100 * time.Millisecond)
	}
}
""",
    "stuck": """// stuck\3 counts the goroutines whose stack has the line.
func stuck\3(line *regexp.Regexp) (count int) {
	var stacks strings.Builder
	pprof.Lookup("goroutine").WriteTo(&stacks, 2)
	for _, stack := range strings.Split(stacks.String(), "\\n\\n") {
		if line.MatchString(stack) {
			count++
		}
	}
	return count
}
""",
    "live": """// live\3 returns the bytes of the heap that are in use.
func live\3() int {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}
""",
}
_STUCK = """	at := regexp.MustCompile(`{watch}`)
	before := stuck\3(at)
	for n := 0; n < calls; n++ {{
		{go}
	}}
	time.Sleep({settles} * time.Second)
	left := stuck\3(at) - before
	for end := time.Now().Add(\1 * time.Second); left > 0 && time.Now().Before(end); {{
		time.Sleep(100 * time.Millisecond)
		left = stuck\3(at) - before
	}}
	t.Logf("left behind: %d goroutines", left)
	if left > calls/20 {{
		t.Fatalf("%d calls left %d goroutines behind in {place}", calls, left)
	}}
"""
_LIVE = """	const most = \2 // bytes for each call
	round := func() {{
		for n := 0; n < calls; n++ {{
			done := make(chan struct{{}})
			{go}
			select {{
			case <-done:
			case <-time.After(100 * time.Millisecond):
			}}
		}}
	}}
	began := time.Now()
	round() // what is made once
	if time.Since(began) > 2*time.Second {{
		t.Skip("the calls take too long to be made often")
	}}
	before := live\3()
	for turn := 0; turn < 5; turn++ {{
		round()
	}}
	left := (live\3() - before) / (5 * calls)
	t.Logf("left behind: %d bytes for each call", left)
	if left > most {{
		t.Fatalf("each call leaves %d bytes behind", left)
	}}
	{keep}
"""


class Way(Struct, frozen=True):
    """One way to call the code."""

    function: str  # as a reader calls it: (*Desk).Quote
    package: str  # its clause
    beside: str  # a file of that package on this machine
    call: str
    setup: tuple[str, ...] = ()
    imports: dict[str, str] = field(default_factory=dict)
    fakes: tuple[str, ...] = ()
    watch: str = ""  # a line of the stacks that stay, as a regular expression; "": the heap is measured
    place: str = ""
    holder: str = ""  # the object that is to live until the heap was measured
    peer: Behaviour | None = None
    context: int = 200  # milliseconds
    in_turn: bool = False  # one call after the other, instead of all at once
    impatient: bool = False  # time limits that the program sets are as good as none
    recovers: bool = False  # who calls it in the program recovers, as net/http does


def write(way: Way) -> DraftedTest:
    """Return the test file of a way."""
    name = "Test" + "".join(part[:1].upper() + part[1:] for part in re.findall(r"\w+", way.function)) + "Leak"
    body = "\n".join(_needed(_body(way)))
    helpers = [text for helper, text in _HELPERS.items() if re.search(rf"\b{helper}[\3(]", body)]
    body = re.sub(r"\brepeated\(", "repeated\3(", body)
    fakes = "\n\n".join(re.sub(r"\b(fake[A-Z]\w*)", "\\1\3", one) for one in way.fakes)
    if fakes:
        body = re.sub(r"\b(fake[A-Z]\w*)(?=\{)", "\\1\3", body)
    declared = "\n".join(
        [f"func {name}\0(t *testing.T) {{\n{body}\n}}\n", *helpers, *([fakes + "\n"] if fakes else ())]
    )
    heads = "\n".join(_imports(way, declared))
    comment = f"// {name}\0 calls {way.function}; nothing of the calls may stay behind."
    text = f"package {way.package}\n\nimport (\n{heads}\n)\n\n{comment}\n{declared}"
    return DraftedTest(name, way.beside, text, "goroutines" if way.watch else "heap", way.function, CALLS)


def _body(way: Way) -> list[str]:
    lines = [f"\tconst calls = {CALLS}"]
    called = _called(way)
    setup = [indented(_LIMIT.sub("time.Millisecond", one) if way.impatient else one, 1) for one in way.setup]
    used = "\n".join((*setup, called))
    if re.search(r"\bbackground\b", used):
        lines += ["\tbackground, ended := context.WithCancel(context.Background())", "\tdefer ended()"]
    if way.peer and re.search(r"\bpeer(?:URL|Address)\b", used):
        lines += [indented(_peer(way.peer), 1)]
    if re.search(r"\bn\b", "\n".join(setup)):
        lines += ["\tn := 0", "\t_ = n"]
    if any(_wants_context(one) for one in setup) and not re.search(r"\bctx\b[^\n=]*:=", "\n".join(setup)):
        lines += ["\tctx := background", "\t_ = ctx"]
    lines += setup
    started = indented(called, 2 if way.watch else 3).lstrip()
    values = {"watch": way.watch, "place": way.place, "settles": _SETTLES, "go": started}
    if way.watch:
        return [*lines, _STUCK.format(**values).rstrip()]
    keep = f"runtime.KeepAlive({way.holder})" if way.holder else ""
    return [*lines, _LIVE.format(keep=keep, **values).rstrip()]


def _wants_context(statement: str) -> bool:
    """Tell whether a statement uses a context that it does not have from itself."""
    return any(re.search(r"\bctx\b", line) and "(ctx context.Context)" not in line for line in statement.split("\n"))


def _called(way: Way) -> str:
    inner = []
    if way.watch == "":
        inner.append("defer close(done)")
    if re.search(r"\bctx\b", way.call):
        inner.append(f"ctx, cancel := context.WithTimeout(background, {way.context}*time.Millisecond)\ndefer cancel()")
    if way.recovers:
        inner.append("defer func() { _ = recover() }() // as net/http does")
    inner.append(way.call)
    text = "go func(n int) {\n" + "\n".join(indented(one, 1) for one in inner) + "\n}(n)"
    return text + "\ntime.Sleep(20 * time.Millisecond)" if way.in_turn else text


def _peer(kind: Behaviour) -> str:
    if kind in _ANSWERS:
        answer = indented(_ANSWERS[kind], 1)
        handler = f"http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {{\n{answer}\n}})"
        made = f"peer := httptest.NewServer({handler})\nt.Cleanup(peer.CloseClientConnections)"
        return f"{made}\npeerURL, peerAddress := peer.URL, peer.Listener.Addr().String()\n_, _ = peerURL, peerAddress"
    return f"""peer, err := net.Listen("tcp", "127.0.0.1:0")
if err != nil {{
	t.Fatal(err)
}}
go func() {{
	for {{
		conn, err := peer.Accept()
		if err != nil {{
			return
		}}
		{_RAW[kind]}
	}}
}}()
peerAddress, peerURL := peer.Addr().String(), "http://"+peer.Addr().String()
_, _ = peerURL, peerAddress"""


_STANDARD = {
    "context": "context", "errors": "errors", "fmt": "fmt", "http": "net/http", "httptest": "net/http/httptest",
    "io": "io", "net": "net", "pprof": "runtime/pprof", "regexp": "regexp",
    "runtime": "runtime", "strings": "strings", "testing": "testing",
    "time": "time",
}  # fmt: skip


def _imports(way: Way, text: str) -> list[str]:
    """Return the import lines of what a text uses."""
    known = {**_STANDARD, **way.imports}
    bare = re.sub(r'"(?:[^"\\\n]|\\.)*"|`[^`]*`|//[^\n]*', '""', text)
    made = set(re.findall(r"\w+", " ".join(re.findall(r"(?m)^\s*([\w, ]+?) :=", bare))))  # a variable hides a package
    used = sorted(
        (path, name)
        for name, path in known.items()
        if name not in made and re.search(rf"(?<![\w.]){re.escape(name)}\.", bare)
    )
    lines = [(path, f'\t"{path}"' if path.rpartition("/")[2] == name else f'\t{name} "{path}"') for path, name in used]
    groups = [[line for path, line in lines if ("." in path.partition("/")[0]) is own] for own in (False, True)]
    return [*groups[0], *([""] if all(groups) else []), *groups[1]]


def indented(text: str, depth: int) -> str:
    return "\n".join("\t" * depth + line if line else line for line in text.split("\n"))


def _needed(lines: list[str]) -> list[str]:
    """Return lines without those that only use a variable which later lines use anyway."""
    text = "\n".join(lines).split("\n")
    return [
        line
        for at, line in enumerate(text)
        if not (used := re.fullmatch(r"\t_ = (?!n$|ctx$)(\w+)", line))
        or not any(re.search(rf"(?<![\w.]){used[1]}\b", later) for later in text[at + 1 :])
    ]
