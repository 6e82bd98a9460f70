"""Responses, rows, pipes and mapped memory that some way through a function leaves open, and those that are closed."""

import pytest

from go_scenes import expected, explained, go, read, scene, sentences, told
from oakum.explain.memory import off_heap as memory
from oakum.explain.network import bodies, handles

BODIES = {
    "an exit between": """
        func deliver(req *http.Request) error {
            resp, err := http.DefaultClient.Do(req) //! acquired
            if err != nil {
                return err
            }
            if resp.StatusCode != 200 {
                return errors.New(resp.Status) //! never-closed
            }
            return resp.Body.Close()
        }
        """,
    "only the status is looked at": """
        func exists(u string) bool {
            res, err := http.Get(u) //! acquired
            return err == nil && res.StatusCode == 200 //! never-closed
        }
        """,
    "thrown away": """
        func ping(u string) {
            http.Get(u) //! never-closed
        }
        """,
    "only the error is looked at": """
        func ping(u string) error {
            _, err := http.Post(u, "", nil) //! never-closed
            return err
        }
        """,
    "closed too late": """
        type c struct{ client *http.Client }
        func (c *c) load(u string, into any) error {
            resp, err := c.client.Get(u) //! acquired
            if err != nil {
                return err
            }
            if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
                return err //! never-closed
            }
            resp.Body.Close()
            return nil
        }
        """,
    "a function that returns it": """
        func get(u string) (*http.Response, error) {
            return http.Get(u)
        }
        func size(u string) int {
            resp, err := get(u) //! acquired
            if err != nil {
                return 0
            }
            return resp.ContentLength //! never-closed
        }
        """,
    "an interface that does": """
        type doer interface{ Do(*http.Request) (*http.Response, error) }
        func deliver(d doer, req *http.Request) int {
            resp, err := d.Do(req) //! acquired
            if err != nil {
                return 0
            }
            return resp.StatusCode //! never-closed
        }
        """,
    "who was to give it back does not": """
        func load(u string) error {
            resp, err := http.Get(u) //! acquired
            if err != nil {
                return err
            }
            rest, err := sniff(resp.Body)
            if err != nil {
                return err
            }
            defer rest.Close()
            return nil
        }
        func sniff(body io.ReadCloser) (io.ReadCloser, error) {
            head := make([]byte, 512)
            if _, err := io.ReadFull(body, head); err != nil {
                return nil, err
            }
            if head[0] == 0 {
                return nil, errors.New("kind") //! never-closed
            }
            return body, nil
        }
        """,
    "deferred": """
        func load(u string) error {
            resp, err := http.Get(u)
            if err != nil {
                return err
            }
            defer resp.Body.Close()
            return errors.New(resp.Status)
        }
        """,
    "deferred in a literal": """
        func load(u string) error {
            resp, err := http.Get(u)
            if err != nil {
                return err
            }
            defer func() { io.Copy(io.Discard, resp.Body); resp.Body.Close() }()
            return nil
        }
        """,
    "closed by a helper": """
        func load(u string) error {
            resp, err := http.Get(u)
            if err != nil {
                return err
            }
            defer drain(resp.Body)
            return nil
        }
        func drain(body io.ReadCloser) { body.Close() }
        """,
    "closed by a helper of somebody else": """
        func load(u string) error {
            resp, err := http.Get(u)
            if err != nil {
                return err
            }
            defer other.Drain(resp)
            return nil
        }
        """,
    "returned": """
        func open(u string) (io.ReadCloser, error) {
            resp, err := http.Get(u)
            if err != nil {
                return nil, err
            }
            return resp.Body, nil
        }
        """,
    "returned by name": """
        func open(u string) (body io.ReadCloser, err error) {
            resp, err := http.Get(u)
            if err != nil {
                return nil, err
            }
            body = resp.Body
            return
        }
        """,
    "returned in an object": """
        func open(u string) (*file, error) {
            resp, err := http.Get(u)
            if err != nil {
                return nil, err
            }
            return &file{body: resp.Body, size: resp.ContentLength}, nil
        }
        type file struct{ body io.ReadCloser; size int64 }
        """,
    "kept": """
        type s struct{ resp *http.Response }
        func (s *s) open(u string) (err error) {
            s.resp, err = http.Get(u)
            return err
        }
        """,
    "given to a goroutine that closes": """
        func open(u string) {
            resp, err := http.Get(u)
            if err != nil {
                return
            }
            go func() { defer resp.Body.Close() }()
        }
        """,
    "kept by the function around": """
        func open(u string) *http.Response {
            var resp *http.Response
            retry(func() (err error) {
                resp, err = http.Get(u)
                return err
            })
            return resp
        }
        """,
    "read to its end": """
        func load(u string) ([]byte, error) {
            resp, err := http.Get(u)
            if err != nil {
                return nil, err
            }
            return io.ReadAll(resp.Body)
        }
        """,
    "closed when there is one": """
        func load(u string) {
            resp, _ := http.Get(u)
            if resp != nil {
                resp.Body.Close()
            }
        }
        """,
    "a client with a time-out lets it go": """
        var client = &http.Client{Timeout: 5}
        func exists(u string) bool {
            res, err := client.Get(u)
            return err == nil && res.StatusCode == 200
        }
        """,
    "an interface that has read it": """
        type api interface{ Do(*http.Request) (*http.Response, []byte, error) }
        func status(a api, req *http.Request) int {
            resp, body, err := a.Do(req)
            return resp.StatusCode
        }
        """,
    "no body at all": """
        func exists(u string) bool {
            res, err := http.Head(u)
            return err == nil && res.StatusCode == 200
        }
        """,
    "a Get of something else": """
        type cache struct{ m map[string]int }
        func (c *cache) Get(k string) (int, error) { return c.m[k], nil }
        func f(c *cache) { c.Get("a") }
        """,
}


@pytest.mark.parametrize("name", BODIES)
def test_a_response(name: str) -> None:
    source = go(BODIES[name], "net/http", "io", "errors", "encoding/json", "example.org/other")
    found = list(bodies.scan(*read(source)))
    assert [one for reason in found for one in told(reason)] == expected(source)
    assert all(reason.certain and "code.go:" in sentences(reason) for reason in found)


def test_the_response_behind_goroutines_of_net_http() -> None:
    source = go(BODIES["an exit between"], "net/http", "errors")
    frame = "func f() {\n\tf() // WAIT\n}\n"
    waiting = scene(source + frame, "select", (), ("unclosed-body",))
    explained(bodies.reason(waiting), source, "unclosed-body")
    assert bodies.reason(scene(source + frame, "select", (), ("missing-deadline",))) is None


def test_a_response_that_a_time_limit_ends_late() -> None:
    source = go(
        """
        var client = &http.Client{Timeout: 5 * time.Minute}
        func image(u string) error {
            res, err := client.Get(u) //! acquired
            if err != nil {
                return err
            }
            if res.StatusCode != 200 {
                return errStatus //! never-closed
            }
            return res.Body.Close()
        }
        """,
        "net/http",
        "time",
    )
    assert list(bodies.scan(*read(source))) == []
    waiting = scene(source + "func f() {} // WAIT\n", "select", (), ("unclosed-body",))
    explained(bodies.reason(waiting), source, "unclosed-body")


ROWS = {
    "an exit in the loop": """
        type repo struct{ db *sql.DB }
        func (r *repo) first() (n int, err error) {
            rows, err := r.db.Query("select 1") //! acquired
            if err != nil {
                return 0, err
            }
            for rows.Next() {
                if err := rows.Scan(&n); err != nil {
                    return 0, err //! never-closed
                }
            }
            return n, rows.Err()
        }
        """,
    "one row is read": """
        func first(db *sql.DB) (n int) {
            rows, _ := db.Query("select 1") //! acquired
            rows.Next()
            rows.Scan(&n)
            return n //! never-closed
        }
        """,
    "read to the end": """
        func count(db *sql.DB) (n int) {
            rows, err := db.Query("select 1")
            if err != nil {
                return 0
            }
            for rows.Next() {
                n++
            }
            return n
        }
        """,
    "deferred": """
        func first(db *sql.DB) (n int) {
            rows, err := db.Query("select 1")
            if err != nil {
                return 0
            }
            defer rows.Close()
            rows.Next()
            return n
        }
        """,
}


@pytest.mark.parametrize("name", ROWS)
def test_rows(name: str) -> None:
    source = go(ROWS[name], "database/sql")
    found = list(handles.scan(*read(source)))
    assert [one for reason in found for one in told(reason)] == expected(source)


@pytest.mark.parametrize("closes", [False, True])
def test_the_reader_of_a_pipe(closes: bool) -> None:
    source = go(
        f"""
        func report() error {{
            r, w := io.Pipe() {"" if closes else "//! acquired"}
            {"defer r.Close()" if closes else ""}
            go func() {{ // GO
                w.Write(nil) // WAIT
            }}()
            return json.NewDecoder(r).Decode(nil) {"" if closes else "//! never-closed"}
        }}
        """,
        "io",
        "encoding/json",
    )
    leaf = ("io.(*pipe).write", "io.(*PipeWriter).Write")
    explained(handles.reason(scene(source, "select", leaf, ("abandoned-sender",))), source, "abandoned-sender")


MAPPED = {
    "an exit between": """
        func load(fd int) (byte, error) {
            data, err := syscall.Mmap(fd, 0, 10, 1, 1) //! made
            if err != nil {
                return 0, err
            }
            if data[0] == 0 {
                use(data[0]) //! never-unmapped
                return 0, nil //! left
            }
            return data[1], syscall.Munmap(data)
        }
        """,
    "behind functions": """
        type column struct{ bytes []byte; rows int }
        func make_(n int) (*column, error) {
            bytes, err := syscall.Mmap(-1, 0, n, 1, 1) //! made
            if err != nil {
                return nil, err
            }
            return &column{bytes: bytes, rows: n}, nil
        }
        func (c *column) free() { syscall.Munmap(c.bytes) }
        func good() {
            c, err := make_(1)
            if err != nil {
                return
            }
            defer c.free()
        }
        func bad() {
            c, err := make_(1) //! acquired
            if err != nil {
                return
            }
            use(c.rows) //! never-unmapped
            if c.rows > 3 {
                return //! left
            }
            c.free()
        }
        """,
    "given back": """
        func load(fd int) error {
            data, err := syscall.Mmap(fd, 0, 10, 1, 1)
            if err != nil {
                return err
            }
            defer syscall.Munmap(data)
            return use(data)
        }
        """,
    "kept": """
        type index struct{ data []byte }
        func open(fd int) (*index, error) {
            data, err := syscall.Mmap(fd, 0, 10, 1, 1)
            if err != nil {
                return nil, err
            }
            return &index{data}, nil
        }
        """,
}


@pytest.mark.parametrize("name", MAPPED)
def test_mapped_memory(name: str) -> None:
    source = go(MAPPED[name], "syscall")
    found = list(memory.scan(*read(source)))
    assert sorted(one for reason in found for one in told(reason)) == sorted(expected(source))


@pytest.mark.parametrize("gives", [False, True])
def test_mapped_memory_that_is_replaced(gives: bool) -> None:
    source = go(
        f"""
        type index struct{{ data []byte }}
        func (x *index) reload(fd int) error {{
            data, err := syscall.Mmap(fd, 0, 10, 1, 1) {"" if gives else "//! made"}
            if err != nil {{
                return err
            }}
            {"syscall.Munmap(x.data)" if gives else ""}
            x.data = data {"" if gives else "//! never-unmapped"}
            return nil
        }}
        func f() {{
            f() // WAIT
        }}
        """,
        "syscall",
    )
    explained(memory.reason(scene(source, "", (), ("off-heap",))), source, "off-heap")
