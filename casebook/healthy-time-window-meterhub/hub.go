package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/lane"
)

// A Hub takes batches in and tells subscribers of the total.
type Hub struct {
	store *Window
	lane  *lane.Lane
	total chan float64

	mu      sync.Mutex
	streets map[string]*display
}

// A display shows the usage of a street; each of the 70 streets gets one with its first batch.
type display struct {
	street string
	shown  chan float64
}

func newHub(store *Window, l *lane.Lane) *Hub {
	return &Hub{store: store, lane: l, total: make(chan float64, 1), streets: make(map[string]*display)}
}

func (h *Hub) batch(w http.ResponseWriter, r *http.Request) {
	name := chassis.Tail(r, "/batch/")
	street := "street-" + name[len(name)-1:]
	if len(name) > 1 {
		street = "street-" + string('0'+(name[len(name)-2]-'0')%7) + name[len(name)-1:]
	}
	b := h.store.Append(street, 3000)
	h.lane.Wait(func() { measure(b.readings) })
	h.show(street, b.readings[0])
	fmt.Fprintf(w, "%s: %d readings\n", street, len(b.readings))
}

func measure(readings []float64) {
	for i := range readings {
		readings[i] = float64(time.Now().Nanosecond()%1000) / 10
	}
}

func (h *Hub) show(street string, usage float64) {
	h.mu.Lock()
	d := h.streets[street]
	if d == nil {
		d = &display{street: street, shown: make(chan float64)}
		h.streets[street] = d
		go d.run()
	}
	h.mu.Unlock()
	d.shown <- usage
}

func (d *display) run() {
	highest := 0.0
	for usage := range d.shown {
		if usage > highest {
			highest = usage
		}
	}
}

func (h *Hub) usage(w http.ResponseWriter, r *http.Request) {
	sum := 0.0
	h.store.Each(func(b *Batch) {
		for _, reading := range b.readings {
			sum += reading
		}
	})
	fmt.Fprintf(w, "%.1f kWh\n", sum)
}

// publish computes the total every few seconds.
func (h *Hub) publish(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(4 * time.Second):
		}
		copied := make([]float64, 0, 1<<18)
		h.store.Each(func(b *Batch) {
			if len(copied) < cap(copied) {
				copied = append(copied, b.readings[0])
			}
		})
		select {
		case h.total <- float64(len(copied)):
		case <-h.total:
		default:
		}
	}
}
