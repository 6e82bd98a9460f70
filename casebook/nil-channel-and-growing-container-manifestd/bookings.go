package main

import (
	"context"
	"log"
	"sync"
)

type booking struct {
	id      int
	sailing int
	note    string
}

// announcer writes bookings to a topic.
type announcer struct {
	topic  string
	events chan booking
}

func newAnnouncer(ctx context.Context, topic string) *announcer {
	a := &announcer{topic: topic}
	if topic != "" {
		a.events = make(chan booking, 64)
		go a.run(ctx)
	}
	return a
}

func (a *announcer) run(ctx context.Context) {
	for {
		select {
		case b := <-a.events:
			log.Printf("%s: parcel %d", a.topic, b.id)
		case <-ctx.Done():
			return
		}
	}
}

func (a *announcer) publish(b booking) {
	a.events <- b
}

// bookings fills one sailing after the other, fifty parcels each.
type bookings struct {
	out *announcer

	mu   sync.Mutex
	last int
	load map[int]int
}

func newBookings(out *announcer) *bookings {
	return &bookings{out: out, load: make(map[int]int)}
}

func (s *bookings) add(note string) booking {
	s.mu.Lock()
	s.last++
	b := booking{id: s.last, sailing: 1 + s.last/50, note: note}
	s.load[b.sailing]++
	s.mu.Unlock()
	go s.after(b)
	return b
}

func (s *bookings) after(b booking) {
	if len(b.note) == 0 {
		return
	}
	s.out.publish(b)
}

func (s *bookings) balance() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sailing := range s.load {
		if sailing < s.last/50-3 {
			delete(s.load, sailing)
		}
	}
}
