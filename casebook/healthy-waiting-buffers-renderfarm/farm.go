package main

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/journal"
)

// A Scene is what will be rendered: its meshes are unpacked as soon as it arrives.
type Scene struct {
	number int
	meshes []float32
}

// A Frame is a rendered scene.
type Frame struct {
	number int
	bytes  []byte
}

// A Farm renders scenes.
type Farm struct {
	events *journal.Journal
	orders chan *order
	queued int64

	mu     sync.Mutex
	latest [120]*Frame
}

type order struct {
	scene *Scene
	done  chan *Frame
}

// NewFarm starts the kilns.
func NewFarm(kilns int, events *journal.Journal) *Farm {
	f := &Farm{events: events, orders: make(chan *order)}
	for i := 0; i < kilns; i++ {
		go f.kiln()
	}
	return f
}

func (f *Farm) waiting() float64 {
	return float64(atomic.LoadInt64(&f.queued))
}

// receive accepts a scene; it is rendered aside.
func (f *Farm) receive(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(chassis.Tail(r, "/scenes/"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	scene := unpack(n)
	go f.process(scene)
	w.WriteHeader(http.StatusAccepted)
}

func unpack(number int) *Scene {
	s := &Scene{number: number, meshes: make([]float32, 40<<10)}
	for i := range s.meshes {
		s.meshes[i] = float32(i * number % 360)
	}
	return s
}

// process hands the scene to a kiln, waits for the frame and keeps it.
func (f *Farm) process(scene *Scene) {
	frame := f.submit(scene)
	f.mu.Lock()
	f.latest[frame.number%len(f.latest)] = frame
	f.mu.Unlock()
	f.events.Note("rendered " + strconv.Itoa(frame.number))
}

func (f *Farm) submit(scene *Scene) *Frame {
	o := &order{scene: scene, done: make(chan *Frame)}
	atomic.AddInt64(&f.queued, 1)
	f.orders <- o
	atomic.AddInt64(&f.queued, -1)
	return <-o.done
}

func (f *Farm) kiln() {
	for o := range f.orders {
		time.Sleep(650 * time.Millisecond)
		o.done <- develop(o.scene)
	}
}

func develop(s *Scene) *Frame {
	bytes := make([]byte, len(s.meshes))
	for i, m := range s.meshes {
		bytes[i] = byte(m)
	}
	return &Frame{number: s.number, bytes: bytes}
}

func (f *Farm) frames(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, frame := range f.latest {
		if frame != nil {
			fmt.Fprintf(w, "%d: %d bytes\n", frame.number, len(frame.bytes))
		}
	}
}
