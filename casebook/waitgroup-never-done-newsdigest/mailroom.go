package main

import (
	"sync"
	"time"
)

// Mailroom keeps one goroutine for each mailbox that had mail; the boxes that are in use soon all have theirs.
type Mailroom struct {
	most  int
	mu    sync.Mutex
	boxes map[int]chan string
	turn  int
}

// NewMailroom has so many boxes at most.
func NewMailroom(most int) *Mailroom { return &Mailroom{most: most, boxes: make(map[int]chan string)} }

// Boxes is how many are open.
func (m *Mailroom) Boxes() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return float64(len(m.boxes))
}

// Post puts a letter into the next box.
func (m *Mailroom) Post(letter string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn++
	box, ok := m.boxes[m.turn%m.most]
	if !ok {
		box = make(chan string, 8)
		m.boxes[m.turn%m.most] = box
		go deliver(box)
	}
	select {
	case box <- letter:
	default:
	}
}

func deliver(box <-chan string) {
	idle := time.NewTicker(9 * time.Second)
	defer idle.Stop()
	for {
		select {
		case <-box:
			time.Sleep(5 * time.Millisecond)
		case <-idle.C:
			// A box is swept now and then.
		}
	}
}
