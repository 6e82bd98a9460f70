package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"example.org/granaryworks/granary/chassis"
)

// echo is how long a beacon takes to answer.
const echo = 150 * time.Millisecond

// A Fix is where a beacon was.
type Fix struct {
	beacon   int
	at       time.Time
	lat, lon float64
}

// A Lookout is somebody who looks at one beacon. It renews its lease with the beacon from time to time.
type Lookout struct {
	hub    *Hub
	name   string
	track  []Fix
	timer  *time.Timer
	leases int64
}

// A Hub knows the beacons and who looks at them.
type Hub struct {
	renew time.Duration
	fixes chan Fix

	mu      sync.Mutex
	looking map[*Lookout]struct{}
	last    [25]Fix
	streams map[chan Fix]struct{}
}

// NewHub renews leases at this pace.
func NewHub(renew time.Duration) *Hub {
	h := &Hub{
		renew:   renew,
		fixes:   make(chan Fix),
		looking: make(map[*Lookout]struct{}),
		streams: make(map[chan Fix]struct{}),
	}
	go h.collect()
	return h
}

func (h *Hub) lookouts() float64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return float64(len(h.looking))
}

func (h *Hub) collect() {
	for fix := range h.fixes {
		h.mu.Lock()
		h.last[fix.beacon] = fix
		for stream := range h.streams {
			select {
			case stream <- fix:
			default:
			}
		}
		h.mu.Unlock()
	}
}

// buoy is a beacon that sends its place now and then.
func (h *Hub) buoy(number int) func(context.Context) {
	return func(ctx context.Context) {
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-time.After(2*time.Second + time.Duration(number)*137*time.Millisecond):
			}
			h.fixes <- Fix{beacon: number, at: time.Now(), lat: 54 + float64(n)/1000, lon: 9 + float64(number)/100}
		}
	}
}

func (h *Hub) enter(name string) *Lookout {
	l := &Lookout{hub: h, name: name, track: make([]Fix, 512)}
	l.timer = time.AfterFunc(h.renew, l.lease)
	h.mu.Lock()
	h.looking[l] = struct{}{}
	h.mu.Unlock()
	return l
}

func (h *Hub) leave(l *Lookout) {
	h.mu.Lock()
	delete(h.looking, l)
	h.mu.Unlock()
}

// lease tells the beacon that somebody still looks, and waits for its echo.
func (l *Lookout) lease() {
	time.Sleep(echo)
	atomic.AddInt64(&l.leases, 1)
	l.timer.Reset(l.hub.renew)
}

func (h *Hub) look(w http.ResponseWriter, r *http.Request) {
	l := h.enter(chassis.Tail(r, "/look/"))
	defer h.leave(l)
	time.Sleep(40 * time.Millisecond)
	h.mu.Lock()
	n := copy(l.track, h.last[:])
	h.mu.Unlock()
	for _, fix := range l.track[:n] {
		fmt.Fprintf(w, "%d %.3f %.3f\n", fix.beacon, fix.lat, fix.lon)
	}
}

// stream sends every fix until the viewer goes.
func (h *Hub) stream(w http.ResponseWriter, r *http.Request) {
	stream := make(chan Fix, 16)
	h.mu.Lock()
	h.streams[stream] = struct{}{}
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		delete(h.streams, stream)
		h.mu.Unlock()
	}()
	flusher := w.(http.Flusher)
	flusher.Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case fix := <-stream:
			fmt.Fprintf(w, "%d %.3f %.3f\n", fix.beacon, fix.lat, fix.lon)
			flusher.Flush()
		}
	}
}
