package main

import "time"

// Ring is the order in which regions hand changes on.
type Ring struct {
	regions []*Region
	turn    int
}

// NewRing starts a mirror goroutine for every region.
func NewRing(names ...string) *Ring {
	ring := &Ring{}
	for _, name := range names {
		ring.regions = append(ring.regions, newRegion(name))
	}
	for i, r := range ring.regions {
		r.next = ring.regions[(i+1)%len(ring.regions)]
		go r.follow()
	}
	return ring
}

// turns lets one region after the other mirror.
func (ring *Ring) turns(every time.Duration) {
	for range time.Tick(every) {
		ring.turn++
		ring.regions[ring.turn%len(ring.regions)].start(ring.turn)
	}
}

// All lets every region mirror at once and returns how many began.
func (ring *Ring) All() int {
	started := 0
	for _, r := range ring.regions {
		if r.start(started) {
			started++
		}
	}
	return started
}

func (r *Region) start(turn int) bool {
	select {
	case r.due <- turn:
		return true
	default:
		return false
	}
}
