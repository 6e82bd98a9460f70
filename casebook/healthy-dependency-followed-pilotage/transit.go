package main

import (
	"time"

	"example.org/halyard/tidefeed"
)

// transit is one ship on its way in or out.
type transit struct {
	name     string
	begun    time.Time
	follower *tidefeed.Follower
	squat    int
}

// advise computes the under-keel clearance; the model of the hull takes longer than the gauges need for a reading.
func (t *transit) advise() {
	for r := range t.follower.C() {
		time.Sleep(1300 * time.Millisecond)
		t.squat = r.Level / 40
	}
}
