package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/journal"
)

const frameSize = 384 << 10

// A Frame is a picture while it is converted.
type Frame struct {
	pixels []byte
	scaled []byte
}

// Gate converts pictures.
type Gate struct {
	events *journal.Journal
	frames sync.Pool
	active int64

	mu    sync.Mutex
	walls map[string]*Wall
}

// NewGate notes what it does in events.
func NewGate(events *journal.Journal) *Gate {
	g := &Gate{events: events, walls: make(map[string]*Wall)}
	g.frames.New = func() interface{} { return newFrame() }
	return g
}

func newFrame() *Frame {
	return &Frame{pixels: make([]byte, frameSize), scaled: make([]byte, frameSize/4)}
}

func (g *Gate) busy() float64 {
	return float64(atomic.LoadInt64(&g.active))
}

// deadline ends requests that nobody waits for any more.
func (g *Gate) deadline(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 20*time.Second)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// picture converts one picture in a borrowed frame.
func (g *Gate) picture(w http.ResponseWriter, r *http.Request) {
	g.convert(w, r, chassis.Tail(r, "/picture/"), 150*time.Millisecond)
}

// poster takes its time.
func (g *Gate) poster(w http.ResponseWriter, r *http.Request) {
	g.convert(w, r, chassis.Tail(r, "/poster/"), 2500*time.Millisecond)
}

func (g *Gate) convert(w http.ResponseWriter, r *http.Request, name string, pause time.Duration) {
	atomic.AddInt64(&g.active, 1)
	defer atomic.AddInt64(&g.active, -1)
	frame := g.frames.Get().(*Frame)
	defer g.frames.Put(frame)
	for i := range frame.pixels {
		frame.pixels[i] = name[i%len(name)]
	}
	select {
	case <-time.After(pause):
	case <-r.Context().Done():
		http.Error(w, "too late", http.StatusGatewayTimeout)
		return
	}
	for i := range frame.scaled {
		frame.scaled[i] = frame.pixels[4*i]
	}
	g.events.Note("converted " + name)
	w.Write(frame.scaled[:2048])
}

// report notes how busy the gate is.
func (g *Gate) report(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(3 * time.Second):
			g.events.Note(fmt.Sprintf("%d pictures in work", atomic.LoadInt64(&g.active)))
		}
	}
}
