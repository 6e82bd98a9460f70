package tidefeed

import "sync"

const backlog = 32

// Follower receives the readings of one station.
//
// Run must be called in a goroutine of the caller's; it hands the readings out in order and returns after Close. A slow
// reader loses the oldest readings, never the newest.
type Follower struct {
	client  *Client
	station string
	out     chan Reading

	mu     sync.Mutex
	more   *sync.Cond
	queue  []Reading
	closed bool
}

// Follow registers interest in a station. The caller must call Close when it no longer reads from C.
func (c *Client) Follow(station string) (*Follower, error) {
	f := &Follower{client: c, station: station, out: make(chan Reading)}
	f.more = sync.NewCond(&f.mu)
	if err := c.attach(f); err != nil {
		return nil, err
	}
	return f, nil
}

// C is where the readings arrive; it is closed when the follower ends.
func (f *Follower) C() <-chan Reading { return f.out }

// Run hands readings out until Close.
func (f *Follower) Run() {
	defer close(f.out)
	for {
		r, ok := f.next()
		if !ok {
			return
		}
		f.deliver(r)
	}
}

// Close ends the follower and throws away what was not read.
func (f *Follower) Close() {
	f.client.detach(f)
	f.end()
	for range f.out {
	}
}

func (f *Follower) end() {
	f.mu.Lock()
	f.closed = true
	f.queue = nil
	f.mu.Unlock()
	f.more.Signal()
}

func (f *Follower) offer(r Reading) {
	f.mu.Lock()
	if !f.closed {
		if len(f.queue) == backlog {
			f.queue = f.queue[1:]
		}
		f.queue = append(f.queue, r)
	}
	f.mu.Unlock()
	f.more.Signal()
}

func (f *Follower) next() (Reading, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.queue) == 0 {
		if f.closed {
			return Reading{}, false
		}
		f.more.Wait()
	}
	r := f.queue[0]
	f.queue = f.queue[1:]
	return r, true
}

func (f *Follower) deliver(r Reading) {
	f.out <- r
}
