"""What is acquired and left behind: small functions with the lines to name, and look-alikes that are right."""

import textwrap

import pytest

from go_scenes import expected, read, told
from oakum.explain.workers.scan import scan
from oakum.report.words import cause_workers

LEFT = {
    "rows, an early return": """
        func names(db *sql.DB) ([]string, error) {
            rows, err := db.Query("select name from people") //! acquired
            if err != nil {
                return nil, err
            }
            for rows.Next() {
                var name string
                if err := rows.Scan(&name); err != nil {
                    return nil, err //! never-released
                }
            }
            return nil, rows.Err()
        }""",
    "a ticker of a function that ends": """
        func wait(done chan bool) {
            t := time.NewTicker(time.Second) //! acquired
            for {
                select {
                case <-t.C:
                case <-done:
                    return //! never-released
                }
            }
        }""",
}
RIGHT = {
    "rows closed by defer": """
        func names(db *sql.DB) error {
            rows, err := db.Query("select name from people")
            if err != nil {
                return err
            }
            defer rows.Close()
            for rows.Next() {
                if err := rows.Scan(); err != nil {
                    return err
                }
            }
            return nil
        }""",
    "rows read to their end": """
        func count(db *sql.DB) (n int, err error) {
            rows, err := db.Query("select name from people")
            if err != nil {
                return 0, err
            }
            for rows.Next() {
                n++
            }
            return n, rows.Err()
        }""",
    "rows handed to somebody": """
        func names(db *sql.DB) error {
            rows, err := db.Query("select name from people")
            if err != nil {
                return err
            }
            return collect(rows)
        }""",
    "rows returned": """
        func names(db *sql.DB) (*sql.Rows, error) {
            rows, err := db.Query("select name from people")
            if err != nil {
                return nil, err
            }
            return rows, nil
        }""",
    "a ticker that a literal stops": """
        func wait(done chan bool) {
            t := time.NewTicker(time.Second)
            later(func() { t.Stop() })
            <-done
        }""",
    "a ticker whose Stop is handed on": """
        func wait(done chan bool) {
            t := time.NewTicker(time.Second)
            later(t.Stop)
            <-done
        }""",
    "a ticker for ever": """
        func beat() {
            t := time.NewTicker(time.Second)
            for range t.C {
                tick()
            }
        }""",
    "a ticker of the process": """
        func main() {
            t := time.NewTicker(time.Second)
            <-t.C
        }""",
    "the process ends": """
        func beat() {
            t := time.NewTicker(time.Second)
            <-t.C
            log.Fatal("late")
        }""",
    "kept in a field": """
        type clock struct{ t *time.Ticker }
        func (c *clock) start() {
            t := time.NewTicker(time.Second)
            c.t = t
        }""",
}


def found(body: str) -> list[tuple[str, str, int]]:
    source = f'package main\n\nimport ("database/sql"; "log"; "time")\n{textwrap.dedent(body)}'
    reasons = list(scan(*read(source)))
    assert all(one.certain and one.sites for one in reasons)
    for text in (text for one in reasons for text in one.texts):
        assert all(words.format(**text.args) for words in cause_workers.WORDS[text.key])
    lines = [site for one in reasons for site in told(one)]
    assert sorted(lines) == sorted(expected(source)), lines
    return lines


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_left_behind(body: str) -> None:
    assert found(body)


@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT)
def test_right(body: str) -> None:
    assert not found(body)
