package main

import (
	"context"
	"errors"
	"log"
	"sync"
	"time"
)

var errOverdrawn = errors.New("overdrawn")

type entry struct {
	agent string
	cents int
	at    time.Time
}

// ledger holds the accounts; what is booked goes to the audit trail in the order of booking.
type ledger struct {
	trail *trail

	mu       sync.Mutex
	accounts map[string]int
}

func newLedger(t *trail) *ledger {
	return &ledger{trail: t, accounts: make(map[string]int)}
}

func (l *ledger) book(e entry) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	have, known := l.accounts[e.agent]
	if !known {
		have = 500000
	}
	if have+e.cents < 0 {
		return have, errOverdrawn
	}
	l.accounts[e.agent] = have + e.cents
	l.trail.record(e)
	return l.accounts[e.agent], nil
}

func (l *ledger) sum(agent string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.accounts[agent]
}

// trail writes the audit trail. A volume takes so many entries.
type trail struct {
	entries chan entry
	room    int
}

func newTrail(room int) *trail {
	return &trail{entries: make(chan entry, 8), room: room}
}

func (t *trail) record(e entry) {
	t.entries <- e
}

func (t *trail) write(ctx context.Context) {
	for {
		select {
		case e := <-t.entries:
			if t.room == 0 {
				log.Printf("audit: no room for %s %d", e.agent, e.cents)
				return
			}
			t.room--
		case <-ctx.Done():
			return
		}
	}
}
