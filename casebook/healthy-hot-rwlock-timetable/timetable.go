package main

import (
	"fmt"
	"sync"
	"time"
)

// Departure is a line on a display.
type Departure struct {
	Train string `json:"train"`
	Delay int    `json:"delay"`
}

// Timetable is read by everybody and recomputed as a whole.
type Timetable struct {
	mu       sync.RWMutex
	stations [][]Departure
	round    int
}

// NewTimetable returns a table of so many stations.
func NewTimetable(stations int) *Timetable {
	t := &Timetable{stations: make([][]Departure, stations)}
	for s := range t.stations {
		for i := 0; i < 20; i++ {
			t.stations[s] = append(t.stations[s], Departure{Train: fmt.Sprintf("RE %d%02d", s, i)})
		}
	}
	return t
}

// Board returns what a display shows.
func (t *Timetable) Board(station int) []Departure {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return append(t.next(station), t.delayed(station)...)
}

// next is the next trains; the table is locked.
func (t *Timetable) next(station int) []Departure {
	return append([]Departure(nil), t.stations[station][:10]...)
}

// delayed is the late trains; the table is locked.
func (t *Timetable) delayed(station int) []Departure {
	var late []Departure
	for _, d := range t.stations[station] {
		if d.Delay > 5 {
			late = append(late, d)
		}
	}
	return late
}

// Names are the names of the stations, which do not change.
func (t *Timetable) Names() []string {
	names := make([]string, 0, len(t.stations))
	for s := range t.stations {
		names = append(names, fmt.Sprintf("station %02d", s))
	}
	return names
}

// recompute takes over the positions of all trains, which takes a while, again and again.
func (t *Timetable) recompute(takes, pause time.Duration) {
	for {
		t.update(takes)
		time.Sleep(pause)
	}
}

func (t *Timetable) update(takes time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.round++
	scratch := make([]byte, 1<<20)
	for s := range t.stations {
		time.Sleep(takes / time.Duration(len(t.stations)))
		for i := range t.stations[s] {
			t.stations[s][i].Delay = (t.round*s + i) % 9
			scratch[s*i]++
		}
	}
}
