package main

import (
	"context"
	"sync"
	"time"
)

// Answer is what was said to a request, to be said again when the request is repeated.
type Answer struct {
	status  int
	header  map[string]string
	body    []byte
	expires time.Time
}

// Replay keeps the answers by idempotency key.
type Replay struct {
	retention time.Duration

	mu    sync.Mutex
	byKey map[string]Answer
}

// NewReplay repeats answers for the given time.
func NewReplay(retention time.Duration) *Replay {
	return &Replay{retention: retention, byKey: make(map[string]Answer)}
}

// Lookup returns the answer that was given to the key.
func (r *Replay) Lookup(key string) (Answer, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a, ok := r.byKey[key]
	return a, ok
}

// Remember keeps a copy of the answer.
func (r *Replay) Remember(key string, status int, body []byte) {
	a := Answer{status: status, header: map[string]string{"Content-Type": "text/plain"}}
	a.body = append(make([]byte, 0, len(body)), body...)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byKey[key] = a
	a.expires = time.Now().Add(r.retention)
}

// Sweep drops what has expired.
func (r *Replay) Sweep(ctx context.Context) {
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			r.drop(now)
		}
	}
}

func (r *Replay) drop(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, a := range r.byKey {
		if a.expires.IsZero() || a.expires.After(now) {
			continue
		}
		delete(r.byKey, key)
	}
}
