// Package batch gathers lines of one container.
package batch

import "time"

// Batch is sent as a whole.
type Batch struct {
	Container string
	Lines     int
	Body      []byte
	opened    time.Time
}

// Batcher fills batches up to size or age. It belongs to one goroutine.
type Batcher struct {
	container string
	size      int
	age       time.Duration
	out       chan<- *Batch
	cur       *Batch
}

// New returns a batcher that hands full batches to out.
func New(container string, size int, age time.Duration, out chan<- *Batch) *Batcher {
	return &Batcher{container: container, size: size, age: age, out: out}
}

func (b *Batcher) open() *Batch {
	return &Batch{
		Container: b.container,
		Body:      make([]byte, 0, b.size),
		opened:    time.Now(),
	}
}

// Line adds one line.
func (b *Batcher) Line(p []byte) {
	if b.cur != nil && len(b.cur.Body)+len(p) > b.size {
		b.flush()
	}
	if b.cur == nil {
		b.cur = b.open()
	}
	b.cur.Body = append(b.cur.Body, p...)
	b.cur.Lines++
}

// Tick sends a batch that has waited long enough.
func (b *Batcher) Tick() {
	if b.cur != nil && time.Since(b.cur.opened) > b.age {
		b.flush()
	}
}

func (b *Batcher) flush() {
	b.out <- b.cur
	b.cur = nil
}
