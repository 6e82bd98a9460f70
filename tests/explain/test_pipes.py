"""Who reads the other end? Pipes whose reader leaves, commands whose output is copied, things that a pool has lent."""

import pytest

from go_scenes import Texts, expected, explained, go, scene, told
from oakum.explain.code.program import Program
from oakum.explain.network import handles
from oakum.explain.reason import StackInSource
from oakum.model import Frame, Trace

LEAVES = {
    "io.Pipe": ("io.(*pipe).write", "io.(*PipeWriter).Write"),
    "net.Pipe": ("net.(*pipe).write", "net.(*pipe).Write"),
    "os.Pipe": ("internal/poll.(*FD).Write", "os.(*File).write", "os.(*File).Write"),
}

PIPES = {
    "one value of many": """
        func report() error {
            r, w := io.Pipe() //! acquired
            go func() { // GO
                json.NewEncoder(w).Encode(1)
                w.Write(nil) // WAIT
            }()
            dec := json.NewDecoder(r)
            return dec.Decode(nil) //! never-closed
        }
        """,
    "a line that says enough": """
        func report() string {
            r, w := io.Pipe() //! acquired
            go func() { // GO
                w.Write(nil) // WAIT
            }()
            lines := bufio.NewScanner(r)
            for lines.Scan() {
                if lines.Text() == "end" {
                    return "end" //! never-closed
                }
            }
            return ""
        }
        """,
    "read twice and dropped": """
        type tunnel struct{ near, far net.Conn }
        func open() *tunnel {
            a, b := net.Pipe() //! acquired
            t := &tunnel{a, b}
            go t.push() // GO
            return t
        }
        func (t *tunnel) push() {
            t.near.Write(nil) // WAIT
        }
        func use() {
            t := open()
            t.far.Read(nil)
            t.far.Read(nil) //! never-closed
        }
        """,
    "a reader that is told to leave": """
        func start(stop chan struct{}) *log.Logger {
            r, w, err := os.Pipe() //! acquired
            go func() {
                for {
                    select {
                    case <-stop:
                        return //! never-closed
                    default:
                    }
                    if _, err := r.Read(nil); err == io.EOF {
                        return
                    }
                }
            }()
            write(w) // UP 1
        }
        func write(w *os.File) {
            w.Write(nil) // WAIT
        }
        """,
    "nobody reads": """
        func start() {
            r, w := io.Pipe() //! acquired, never-closed
            go func() { // GO
                w.Write(nil) // WAIT
            }()
        }
        """,
    "closed however it is left": """
        func report() error {
            r, w := io.Pipe()
            go func() { // GO
                w.Write(nil) // WAIT
            }()
            defer r.Close()
            return json.NewDecoder(r).Decode(nil)
        }
        """,
    "slow, but to the end": """
        func report() {
            r, w := io.Pipe()
            go func() { // GO
                w.Write(nil) // WAIT
            }()
            go slow(r)
        }
        func slow(r *io.PipeReader) {
            for {
                if _, err := r.Read(nil); err != nil {
                    return
                }
            }
        }
        """,
    "all of it": """
        func report() {
            r, w := io.Pipe()
            go func() { // GO
                w.Write(nil) // WAIT
            }()
            io.Copy(io.Discard, r)
        }
        """,
    "sent by a client that closes what it sends": """
        func post() {
            r, w := io.Pipe()
            go func() { // GO
                w.Write(nil) // WAIT
            }()
            http.Post("http://a", "text/plain", r)
        }
        """,
    "closed by who has it": """
        type tunnel struct{ near, far net.Conn }
        func open() *tunnel {
            a, b := net.Pipe()
            t := &tunnel{a, b}
            go t.push() // GO
            return t
        }
        func (t *tunnel) push() {
            t.near.Write(nil) // WAIT
        }
        func (t *tunnel) Close() { t.far.Close() }
        func use(t *tunnel) {
            t.far.Read(nil)
        }
        """,
}
IMPORTS = ("io", "os", "net", "net/http", "bufio", "encoding/json", "log")


@pytest.mark.parametrize("name", PIPES)
def test_pipes(name: str) -> None:
    source = go(PIPES[name], *IMPORTS)
    leaf = next(leaf for kind, leaf in LEAVES.items() if f"{kind}()" in source)
    given = scene(source, "IO wait" if "os.Pipe" in source else "select", leaf, ("abandoned-sender",))
    explained(handles.reason(given), source, "abandoned-sender")


COMMANDS = {
    "output into a buffer": """
        func run(script string) string {
            var out bytes.Buffer
            cmd := exec.Command("sh", "-c", script) //! no-deadline
            cmd.Stdout = &out
            cmd.Run() //! waits
            return out.String()
        }
        """,
    "a limit": """
        func run(script string) string {
            var out bytes.Buffer
            cmd := exec.Command("sh", "-c", script)
            cmd.Stdout = &out
            cmd.WaitDelay = time.Second
            cmd.Run()
            return out.String()
        }
        """,
    "output that the child has itself": """
        func run(script string) {
            cmd := exec.Command("sh", "-c", script)
            cmd.Stdout = os.Stdout
            cmd.Run()
        }
        """,
}


@pytest.mark.parametrize("name", COMMANDS)
def test_commands(name: str) -> None:
    source = go(COMMANDS[name], "os", "os/exec", "bytes", "time")
    names = ("os.(*File).Read", "io.Copy", "os/exec.(*Cmd).writerDescriptor.func1", "os/exec.(*Cmd).Start.func2")
    trace = Trace(tuple(Frame(one, "/usr/local/go/src/std.go", 1) for one in names), "IO wait")
    suspect = scene(source + "// \nfunc f() {} // WAIT\n", "IO wait", (), ("detached-wait",)).suspect
    explained(
        handles.reason(StackInSource.of(suspect, Program(Texts({"main": source})), trace)), source, "detached-wait"
    )


SQL = {
    "a transaction that is not ended": """
        func move(db *sql.DB, n int) error {
            tx, err := db.Begin() //! acquired
            if err != nil {
                return err
            }
            if n == 0 {
                return errNone //! never-closed
            }
            return tx.Commit()
        }
        """,
    "a transaction that is rolled back": """
        func move(db *sql.DB, n int) error {
            tx, err := db.BeginTx(ctx, nil)
            if err != nil {
                return err
            }
            defer tx.Rollback()
            if n == 0 {
                return errNone
            }
            return tx.Commit()
        }
        """,
    "a connection": """
        func ping(db *sql.DB) error {
            c, err := db.Conn(ctx) //! acquired
            if err != nil {
                return err
            }
            return c.PingContext(ctx) //! never-closed
        }
        """,
}


@pytest.mark.parametrize("name", SQL)
def test_what_keeps_a_connection_of_the_database(name: str) -> None:
    source = go(f"{SQL[name]}\nfunc other(db *sql.DB) {{\n    db.Exec(q) // WAIT\n}}\n", "database/sql")
    leaf = ("database/sql.(*DB).conn", "database/sql.(*DB).Exec")
    found = handles.reason(scene(source, "select", leaf, ("unstopped-worker",)))
    assert (told(found) if found is not None else []) == expected(source)


LENT = {
    "not given back after an error": """
        func (s *store) find(ctx context.Context) error {
            c, err := s.pool.Acquire(ctx) // WAIT //! acquired
            if err != nil {
                return err
            }
            if err := c.Ping(ctx); err != nil {
                return err //! never-released
            }
            c.Release()
            return nil
        }
        """,
    "put back into the pool": """
        func (s *store) find(ctx context.Context) error {
            c, err := s.pool.Acquire(ctx) // WAIT
            if err != nil {
                return err
            }
            s.pool.Put(c)
            return nil
        }
        """,
    "what nobody gives back is not lent": """
        func (s *store) find(ctx context.Context) error {
            c, err := s.pool.Get(ctx) // WAIT
            if err != nil {
                return err
            }
            c.Use()
            return nil
        }
        """,
    "only an error": """
        func (s *store) find(ctx context.Context) error {
            err := s.pool.Acquire(ctx) // WAIT
            if err != nil {
                return err
            }
            return nil
        }
        """,
}


@pytest.mark.parametrize("name", LENT)
def test_what_a_pool_of_somebody_else_lends(name: str) -> None:
    source = go(f"type store struct{{ pool *pgxpool.Pool }}\n{LENT[name]}", "context", "github.com/jackc/pgxpool")
    leaf = ("github.com/jackc/pgxpool.(*Pool).Acquire",)
    explained(handles.reason(scene(source, "select", leaf, ("unstopped-worker",))), source, "unstopped-worker")
