package main

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"example.org/quarry/portico"
)

// Board is the display in the foyer; browsers follow it too. Each viewer sleeps until there is a new picture.
type Board struct {
	mu      sync.Mutex
	news    *sync.Cond
	version int
	picture []byte
	viewers int
}

// NewBoard returns a dark board.
func NewBoard() *Board {
	b := &Board{}
	b.news = sync.NewCond(&b.mu)
	return b
}

// Viewers is how many follow.
func (b *Board) Viewers() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return float64(b.viewers)
}

func (b *Board) refresh(h *Hall) {
	for range time.Tick(6 * time.Second) {
		picture := make([]byte, 512<<10)
		copy(picture, fmt.Sprintf("%v seats", h.Free()))
		b.mu.Lock()
		b.version++
		b.picture = picture[:64]
		b.mu.Unlock()
		b.news.Broadcast()
	}
}

// after returns the first picture that is newer than a version.
func (b *Board) after(version int) (int, []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.version <= version {
		b.news.Wait()
	}
	return b.version, b.picture
}

func (b *Board) follow(c *portico.Call) error {
	b.mu.Lock()
	b.viewers++
	version := b.version
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		b.viewers--
		b.mu.Unlock()
	}()
	c.Status(http.StatusOK)
	for c.Ctx.Err() == nil {
		var picture []byte
		version, picture = b.after(version)
		if _, err := c.W.Write(picture); err != nil {
			return nil
		}
		if f, ok := c.W.(http.Flusher); ok {
			f.Flush()
		}
	}
	return nil
}
