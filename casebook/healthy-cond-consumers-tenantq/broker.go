package main

import (
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// Broker keeps a queue and a few consumers for each tenant that has published something.
type Broker struct {
	consumers int
	delivered uint64

	mu     sync.Mutex
	queues map[string]*Queue
}

// NewBroker gives each tenant so many consumers.
func NewBroker(consumers int) *Broker {
	return &Broker{consumers: consumers, queues: make(map[string]*Queue)}
}

// Tenants is how many have a queue.
func (b *Broker) Tenants() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return float64(len(b.queues))
}

// Delivered is the number of messages that were consumed.
func (b *Broker) Delivered() float64 { return float64(atomic.LoadUint64(&b.delivered)) }

// Publish queues a message.
func (b *Broker) Publish(tenant string, message []byte) {
	b.queue(tenant).Put(message)
}

func (b *Broker) queue(tenant string) *Queue {
	b.mu.Lock()
	defer b.mu.Unlock()
	q, ok := b.queues[tenant]
	if !ok {
		q = NewQueue()
		b.queues[tenant] = q
		for i := 0; i < b.consumers; i++ {
			go b.consume(q)
		}
	}
	return q
}

func (b *Broker) consume(q *Queue) {
	for {
		message, ok := q.Take()
		if !ok {
			return
		}
		time.Sleep(time.Duration(len(message)%5) * time.Millisecond)
		atomic.AddUint64(&b.delivered, 1)
	}
}

// Retire closes the queues of some tenants and returns how many are left.
func (b *Broker) Retire(n int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	names := make([]string, 0, len(b.queues))
	for name := range b.queues {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names[:min2(n, len(names))] {
		b.queues[name].Close()
		delete(b.queues, name)
	}
	return len(b.queues)
}

// Digest looks at the length of all queues.
func (b *Broker) Digest() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	total := 0
	for _, q := range b.queues {
		window := make([]int, 4<<10)
		window[0] = q.Len()
		total += window[0]
	}
	return total
}

func min2(a, b int) int {
	if a < b {
		return a
	}
	return b
}
