package main

import (
	"hash/fnv"
	"time"
)

var cities = []string{"Bergen", "Galway", "Porto", "Varna", "Malmo", "Gdansk", "Cork", "Trieste"}

// mirror is one copy of the address table.
type mirror struct {
	name    string
	latency time.Duration
}

func newMirror(name string, latency time.Duration) *mirror {
	return &mirror{name: name, latency: latency}
}

// found takes the entries that a mirror comes upon.
type found chan<- location

func (f found) add(loc location) {
	f <- loc
}

func (m *mirror) lookup(address string, to chan<- location) {
	m.scan(address, found(to))
}

// scan walks the table until it comes upon the address.
func (m *mirror) scan(address string, to found) {
	time.Sleep(m.latency)
	h := fnv.New32a()
	_, _ = h.Write([]byte(address))
	sum := h.Sum32()
	to.add(location{
		Address: address,
		City:    cities[sum%uint32(len(cities))],
		Lat:     35 + float64(sum%3000)/100,
		Lon:     float64(sum%5000)/100 - 10,
		Mirror:  m.name,
	})
}
