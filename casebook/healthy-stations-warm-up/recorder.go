package main

// recorder writes the readings of one station in order.
type recorder struct {
	station  int
	readings chan reading
	save     chan struct{}
	stop     chan struct{}
	page     [64]reading
	next     int
}

func newRecorder(station int) *recorder {
	return &recorder{
		station:  station,
		readings: make(chan reading, 2),
		save:     make(chan struct{}),
		stop:     make(chan struct{}),
	}
}

func (r *recorder) run() {
	for {
		select {
		case one := <-r.readings:
			r.page[r.next%len(r.page)] = one
			r.next++
		case <-r.save:
			r.next = 0
		case <-r.stop:
			return
		}
	}
}
