package main

import (
	"context"
	"strings"
	"sync"
	"time"
)

// Seen remembers the ids of the last messages.
type Seen struct {
	mu    sync.Mutex
	ids   map[string]struct{}
	order []string
	next  int
}

// NewSeen remembers so many ids.
func NewSeen(most int) *Seen {
	return &Seen{ids: make(map[string]struct{}), order: make([]string, most)}
}

func (s *Seen) count() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return float64(len(s.ids))
}

// Add tells whether the id is new.
func (s *Seen) Add(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.ids[id]; ok {
		return false
	}
	delete(s.ids, s.order[s.next])
	s.order[s.next] = id
	s.next = (s.next + 1) % len(s.order)
	s.ids[id] = struct{}{}
	return true
}

// Senders counts messages by the domain of the sender, with a profile of each.
type Senders struct {
	mu      sync.Mutex
	domains map[string]*profile
}

type profile struct {
	count int
	hours [24][64]float64
}

// NewSenders knows no domain yet.
func NewSenders() *Senders {
	return &Senders{domains: make(map[string]*profile)}
}

// Note counts a message.
func (s *Senders) Note(from string) {
	_, domain, _ := strings.Cut(from, "@")
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.domains[domain]
	if p == nil {
		p = new(profile)
		s.domains[strings.ToLower(strings.Clone(domain))] = p
	}
	p.count++
	p.hours[time.Now().Hour()][p.count%64]++
}

// Domains returns the counts.
func (s *Senders) Domains() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := make(map[string]int, len(s.domains))
	for domain, p := range s.domains {
		counts[domain] = p.count
	}
	return counts
}

// fade lets old counts weigh less.
func (s *Senders) fade(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(8 * time.Second):
		}
		s.mu.Lock()
		for _, p := range s.domains {
			p.hours[time.Now().Hour()][0] *= 0.9
		}
		s.mu.Unlock()
	}
}
