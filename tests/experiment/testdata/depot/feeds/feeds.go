// Package feeds follows parcels.
package feeds

import "time"

// Feed delivers positions until it is closed.
type Feed struct {
	positions chan int
	done      chan struct{}
}

// Open starts a feed.
func Open(every time.Duration) *Feed {
	feed := &Feed{positions: make(chan int, 1), done: make(chan struct{})}
	go feed.run(every)
	return feed
}

func (f *Feed) run(every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for at := 0; ; at++ {
		select {
		case <-ticker.C:
			select {
			case f.positions <- at:
			default:
			}
		case <-f.done:
			return
		}
	}
}

// Next returns the next position.
func (f *Feed) Next() int { return <-f.positions }

// Close ends the feed.
func (f *Feed) Close() { close(f.done) }
