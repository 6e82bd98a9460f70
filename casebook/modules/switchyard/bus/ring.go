package bus

type ring struct {
	slots []Event
	first int
	used  int
}

func newRing(size int) ring {
	return ring{slots: make([]Event, size)}
}

func (r *ring) read() (Event, bool) {
	if r.used == 0 {
		return Event{}, false
	}
	e := r.slots[r.first]
	r.slots[r.first] = Event{}
	r.first = (r.first + 1) % len(r.slots)
	r.used--
	return e, true
}

func (r *ring) write(e Event) {
	if r.used == len(r.slots) {
		larger := make([]Event, 2*len(r.slots))
		n := copy(larger, r.slots[r.first:])
		copy(larger[n:], r.slots[:r.first])
		r.slots, r.first = larger, 0
	}
	r.slots[(r.first+r.used)%len(r.slots)] = e
	r.used++
}
