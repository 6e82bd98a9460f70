// Package bus distributes events inside a process.
//
// Every subscriber has a ring of pending events and two goroutines, so that neither the publisher nor the
// other subscribers wait for a slow one.
package bus

import "sync"

// Event is something that happened to an object.
type Event struct {
	Topic   string
	Object  string
	Version int64
	Payload interface{}
}

// Handler receives events, one after the other.
type Handler interface {
	OnEvent(Event)
}

// HandlerFunc is a function as a Handler.
type HandlerFunc func(Event)

// OnEvent calls the function.
func (f HandlerFunc) OnEvent(e Event) { f(e) }

// Bus is a set of subscriptions.
type Bus struct {
	lock          sync.RWMutex
	subscriptions map[*Subscription]struct{}
}

// New returns a Bus without subscriptions.
func New() *Bus {
	return &Bus{subscriptions: map[*Subscription]struct{}{}}
}

// Subscribe hands the events of topic to handler until the Subscription is cancelled.
func (b *Bus) Subscribe(topic string, handler Handler) *Subscription {
	s := newSubscription(b, topic, handler)
	b.lock.Lock()
	b.subscriptions[s] = struct{}{}
	b.lock.Unlock()
	go s.pop()
	go s.run()
	return s
}

// Publish hands e to everyone who subscribed to its topic.
func (b *Bus) Publish(e Event) {
	b.lock.RLock()
	defer b.lock.RUnlock()
	for s := range b.subscriptions {
		if s.topic == e.Topic {
			s.in <- e
		}
	}
}

// Len is the number of subscriptions.
func (b *Bus) Len() int {
	b.lock.RLock()
	defer b.lock.RUnlock()
	return len(b.subscriptions)
}

func (b *Bus) remove(s *Subscription) {
	b.lock.Lock()
	defer b.lock.Unlock()
	if _, ok := b.subscriptions[s]; ok {
		delete(b.subscriptions, s)
		close(s.in)
	}
}
