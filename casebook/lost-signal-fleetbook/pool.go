package main

import (
	"sync"
	"time"
)

// Conn is a session with the ledger database.
type Conn struct {
	id     int
	uses   int
	broken bool
}

// Exec runs one statement. The database closes a session after a few statements, as its operators want it.
func (c *Conn) Exec(statement string) error {
	time.Sleep(350 * time.Millisecond)
	c.uses++
	if c.uses >= 2 {
		c.broken = true
	}
	return nil
}

// Pool lends a bounded number of sessions.
type Pool struct {
	most int

	mu    sync.Mutex
	freed *sync.Cond
	free  []*Conn
	open  int
	next  int
}

// OpenPool returns a pool of at most so many sessions.
func OpenPool(most int) *Pool {
	p := &Pool{most: most}
	p.freed = sync.NewCond(&p.mu)
	return p
}

// Open is the number of open sessions.
func (p *Pool) Open() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return float64(p.open)
}

// Acquire borrows a session and waits for one when all are lent.
func (p *Pool) Acquire() *Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.free) == 0 && p.open >= p.most {
		p.freed.Wait()
	}
	if n := len(p.free); n > 0 {
		c := p.free[n-1]
		p.free = p.free[:n-1]
		return c
	}
	p.open++
	p.next++
	return &Conn{id: p.next}
}

// Release gives a session back.
func (p *Pool) Release(c *Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.broken {
		p.open--
		return
	}
	p.free = append(p.free, c)
	p.freed.Signal()
}
