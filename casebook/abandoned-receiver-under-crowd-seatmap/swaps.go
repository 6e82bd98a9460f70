package main

import (
	"context"
	"fmt"
	"log"
	"sync"
)

const (
	seatsPerRow = 6
	exitEvery   = 6
)

type seat struct {
	row    int
	letter byte
}

func (s seat) String() string { return fmt.Sprintf("%d%c", s.row, s.letter) }

func (s seat) atExit() bool { return s.row%exitEvery == exitEvery-1 }

type move struct {
	ticket string
	to     seat
	reply  chan error
}

// swapDesk decides about moves one after the other.
type swapDesk struct {
	moves chan *move

	mu    sync.Mutex
	next  int
	moved int
}

func newSwapDesk() *swapDesk {
	return &swapDesk{moves: make(chan *move, 32)}
}

func (d *swapDesk) request(ticket string) seat {
	d.mu.Lock()
	to := seat{row: 1 + d.next%38, letter: "ABCDEF"[d.next%seatsPerRow]}
	d.next++
	d.mu.Unlock()

	m := &move{ticket: ticket, to: to, reply: make(chan error)}
	go d.follow(m)
	return to
}

func (d *swapDesk) run(ctx context.Context) {
	for {
		select {
		case m := <-d.moves:
			d.decide(m)
		case <-ctx.Done():
			return
		}
	}
}

func (d *swapDesk) decide(m *move) {
	if m.to.atExit() {
		log.Printf("%s: %s needs the purser", m.ticket, m.to)
		return
	}
	m.reply <- nil
}

func (d *swapDesk) follow(m *move) {
	d.moves <- m
	if err := m.outcome(); err != nil {
		log.Printf("%s: %v", m.ticket, err)
		return
	}
	d.mu.Lock()
	d.moved++
	d.mu.Unlock()
}

func (m *move) outcome() error {
	return <-m.reply
}
