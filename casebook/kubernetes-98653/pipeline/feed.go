package pipeline

import "sync"

// Feed tells subscribers about jobs as their state changes.
type Feed struct {
	mu          sync.Mutex
	subscribers map[chan Job]struct{}
}

// NewFeed returns a feed without subscribers.
func NewFeed() *Feed {
	return &Feed{subscribers: map[chan Job]struct{}{}}
}

// Subscribe returns a channel of changes and a function that ends it.
func (f *Feed) Subscribe() (<-chan Job, func()) {
	ch := make(chan Job, 16)
	f.mu.Lock()
	f.subscribers[ch] = struct{}{}
	f.mu.Unlock()
	return ch, func() {
		f.mu.Lock()
		delete(f.subscribers, ch)
		f.mu.Unlock()
	}
}

// Publish tells everyone; a subscriber that lags misses changes.
func (f *Feed) Publish(job Job) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for ch := range f.subscribers {
		select {
		case ch <- job:
		default:
		}
	}
}
