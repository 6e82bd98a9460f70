package main

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"example.org/granaryworks/granary/chassis"
)

// A Reading is one look at a machine: the vibration of its spindle and the state of its drives.
type Reading struct {
	At     time.Time
	Wave   [80]float64
	Drives [8]int32
}

// A Machine is one machine of the floor.
type Machine struct {
	Name      string
	Last      *Reading
	Diagnosis bool
	Trend     Trend
}

// Trend is the readings of a machine under diagnosis, oldest first.
type Trend struct {
	Readings []*Reading
	Most     int
}

func (t *Trend) add(r *Reading) {
	t.Readings = append(t.Readings, r)
}

// trim drops the oldest readings above the limit.
func (t Trend) trim() {
	if over := len(t.Readings) - t.Most; over > 0 {
		t.Readings = t.Readings[over:]
	}
}

// A Floor has the machines.
type Floor struct {
	mu       sync.Mutex
	machines []*Machine
	plans    map[int][]byte
}

func newFloor(machines, keep int) *Floor {
	f := &Floor{plans: make(map[int][]byte)}
	for i := 0; i < machines; i++ {
		f.machines = append(f.machines, &Machine{Name: fmt.Sprintf("mill-%02d", i), Trend: Trend{Most: keep}})
	}
	return f
}

// observe takes one reading of every machine.
func (f *Floor) observe(now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, m := range f.machines {
		r := read(i, now)
		m.Last = r
		if m.Diagnosis {
			m.Trend.add(r)
			m.Trend.trim()
		}
	}
}

func read(machine int, now time.Time) *Reading {
	r := &Reading{At: now}
	phase := float64(now.UnixNano()%1e9) / 1e9
	for i := range r.Wave {
		r.Wave[i] = phase * float64(i+machine)
	}
	return r
}

func (f *Floor) pick(r *http.Request, prefix string) (*Machine, int, error) {
	n, err := strconv.Atoi(chassis.Tail(r, prefix))
	if err != nil {
		return nil, 0, err
	}
	return f.machines[n%len(f.machines)], n, nil
}

func (f *Floor) show(w http.ResponseWriter, r *http.Request) {
	m, _, err := f.pick(r, "/machines/")
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if m.Last != nil {
		fmt.Fprintf(w, "%s at %s: %v\n", m.Name, m.Last.At.Format(time.RFC3339), m.Last.Wave)
	}
}

// diagnose keeps the readings of a machine from now on.
func (f *Floor) diagnose(w http.ResponseWriter, r *http.Request) {
	m, _, err := f.pick(r, "/diagnosis/")
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	f.mu.Lock()
	m.Diagnosis = true
	f.mu.Unlock()
	fmt.Fprintf(w, "%s is under diagnosis\n", m.Name)
}

// plan shows the plan of one of the 250 work pieces; drawn when first asked for.
func (f *Floor) plan(w http.ResponseWriter, r *http.Request) {
	_, n, err := f.pick(r, "/plan/")
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Write(f.drawing(n % 250)[:512])
}

func (f *Floor) drawing(piece int) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	if text := f.plans[piece]; text != nil {
		return text
	}
	text := make([]byte, 0, 96<<10)
	for len(text)+32 < cap(text) {
		text = strconv.AppendInt(append(text, "line "...), int64(piece*len(text)), 10)
		text = append(text, '\n')
	}
	f.plans[piece] = text
	return text
}
