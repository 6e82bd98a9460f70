package main

import (
	"sync"
	"time"
)

// Displays hang in the stations. Each is drawn by a goroutine of its own until it is taken down.
type Displays struct {
	table *Timetable
	mu    sync.Mutex
	up    []chan struct{}
}

// NewDisplays returns none.
func NewDisplays(t *Timetable) *Displays { return &Displays{table: t} }

// Size is how many hang.
func (d *Displays) Size() float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return float64(len(d.up))
}

// Add hangs more displays.
func (d *Displays) Add(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := 0; i < n; i++ {
		down := make(chan struct{})
		d.up = append(d.up, down)
		go d.draw(len(d.up)%60, down)
	}
	return len(d.up)
}

// Remove takes displays down.
func (d *Displays) Remove(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := 0; i < n && len(d.up) > 0; i++ {
		close(d.up[len(d.up)-1])
		d.up = d.up[:len(d.up)-1]
	}
	return len(d.up)
}

func (d *Displays) draw(station int, down <-chan struct{}) {
	refresh := time.NewTicker(300 * time.Millisecond)
	defer refresh.Stop()
	for {
		select {
		case <-down:
			return
		case <-refresh.C:
			paint(d.table.Board(station))
		}
	}
}

// paint draws the lines into the memory of a display.
func paint(lines []Departure) {
	canvas := make([]byte, 4<<10)
	for i := range lines {
		copy(canvas[i*64:], lines[i].Train)
	}
}
