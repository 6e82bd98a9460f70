"""Who keeps what another package lends? Callers that leave without giving back, and those that are right."""

import pytest

from go_scenes import explained, scene
from oakum.explain.locks.question import reason

LIMIT = """package limit

import "context"

type Gate struct{ free chan struct{} }

func New(n int) *Gate { return &Gate{make(chan struct{}, n)} }

func (g *Gate) Acquire(ctx context.Context) (func(), error) {
    select { // WAIT
    case g.free <- struct{}{}:
        return func() { <-g.free }, nil
    case <-ctx.Done():
        return nil, ctx.Err()
    }
}
"""
POOL = """package limit

import "context"

type Pool struct{ idle chan *conn }
type Tx struct{ p *Pool; c *conn }
type conn struct{}

func New() *Pool { return &Pool{make(chan *conn, 4)} }

func (p *Pool) Begin(ctx context.Context) (*Tx, error) {
    c, err := p.take(ctx) // UP 1
    if err != nil {
        return nil, err
    }
    return &Tx{p, c}, nil
}
func (p *Pool) take(ctx context.Context) (*conn, error) {
    select { // WAIT
    case c := <-p.idle:
        return c, nil
    case <-ctx.Done():
        return nil, ctx.Err()
    }
}
func (t *Tx) Exec(q string) error { return nil }
func (t *Tx) Commit() { t.end() }
func (t *Tx) Rollback() { t.end() }
func (t *Tx) end() { t.p.idle <- t.c }
"""
HEAD = """package main

import (
    "context"
    "example.org/limit"
)

type desk struct{ gate *limit.Gate; pool *limit.Pool }
"""
GATED = {
    "a way out without release": """
        func (d *desk) run(ctx context.Context, n int) error {
            release, err := d.gate.Acquire(ctx) // UP 1 //! acquired
            if err != nil {
                return err
            }
            if n == 0 {
                return nil //! never-released
            }
            release()
            return nil
        }
        """,
    "deferred": """
        func (d *desk) run(ctx context.Context, n int) error {
            release, err := d.gate.Acquire(ctx) // UP 1
            if err != nil {
                return err
            }
            defer release()
            return nil
        }
        """,
    "released by who goes on with it": """
        func (d *desk) run(ctx context.Context, n int) error {
            release, err := d.gate.Acquire(ctx) // UP 1
            if err != nil {
                return err
            }
            if n == 0 {
                release()
                return nil
            }
            go func() {
                defer release()
                work(n)
            }()
            return nil
        }
        """,
}
LENT = {
    "neither committed nor rolled back": """
        func (d *desk) place(ctx context.Context, n int) error {
            tx, err := d.pool.Begin(ctx) // UP 2 //! acquired
            if err != nil {
                return err
            }
            if n == 0 {
                return nil //! never-released
            }
            tx.Exec("insert")
            tx.Commit()
            return nil
        }
        """,
    "ended on every way": """
        func (d *desk) place(ctx context.Context, n int) error {
            tx, err := d.pool.Begin(ctx) // UP 2
            if err != nil {
                return err
            }
            if n == 0 {
                tx.Rollback()
                return nil
            }
            tx.Commit()
            return nil
        }
        """,
    "handed to the caller": """
        func (d *desk) open(ctx context.Context, n int) (*limit.Tx, error) {
            tx, err := d.pool.Begin(ctx) // UP 2
            if err != nil {
                return nil, err
            }
            if n == 0 {
                tx.Rollback()
                return nil, nil
            }
            return tx, nil
        }
        """,
}


@pytest.mark.parametrize(
    ("lends", "body"), [*((LIMIT, one) for one in GATED.values()), *((POOL, one) for one in LENT.values())]
)
def test_what_another_package_lends(lends: str, body: str) -> None:
    given = {"example.org/limit": lends, "main": HEAD + body}
    explained(reason(scene(given, "select", (), ("unstopped-worker",))), given, "unstopped-worker")
