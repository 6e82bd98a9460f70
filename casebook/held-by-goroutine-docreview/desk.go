package main

import (
	"context"
	"sync"
	"time"
)

// A Verdict is what a reviewer says.
type Verdict struct {
	accepted bool
	note     string
}

// A Ticket is a document's place in the reviewers' queue.
type Ticket struct {
	number  int
	opened  time.Time
	verdict chan Verdict
}

func (t *Ticket) wait() Verdict {
	v := <-t.verdict
	return v
}

// A Desk has the tickets that nobody has looked at yet.
type Desk struct {
	deadline time.Duration

	mu      sync.Mutex
	arrived *sync.Cond
	tickets map[int]*Ticket
	last    int
}

func newDesk(deadline time.Duration) *Desk {
	d := &Desk{deadline: deadline, tickets: make(map[int]*Ticket)}
	d.arrived = sync.NewCond(&d.mu)
	return d
}

func (d *Desk) open() float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return float64(len(d.tickets))
}

func (d *Desk) submit(name string) *Ticket {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last++
	t := &Ticket{number: d.last, opened: time.Now(), verdict: make(chan Verdict)}
	d.tickets[t.number] = t
	d.arrived.Signal()
	return t
}

// expire takes tickets off the desk that nobody claimed in time.
func (d *Desk) expire(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(500 * time.Millisecond):
		}
		d.mu.Lock()
		for number, t := range d.tickets {
			if time.Since(t.opened) > d.deadline {
				delete(d.tickets, number)
			}
		}
		d.mu.Unlock()
	}
}

// reviewer looks at one document after the other.
func (d *Desk) reviewer(ctx context.Context) {
	for {
		t := d.claim()
		time.Sleep(1100 * time.Millisecond)
		t.verdict <- Verdict{accepted: t.number%3 != 0, note: "seen"}
	}
}

// claim takes the newest ticket, so that somebody is always answered quickly.
func (d *Desk) claim() *Ticket {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.tickets) == 0 {
		d.arrived.Wait()
	}
	newest := 0
	for number := range d.tickets {
		if number > newest {
			newest = number
		}
	}
	t := d.tickets[newest]
	delete(d.tickets, newest)
	return t
}
