package main

import (
	"context"
	"hash/crc32"
	"sync/atomic"
	"time"
)

// sorter takes one parcel after the other, at its own pace.
type sorter struct {
	belt   *belt
	pace   time.Duration
	chutes []chan scan
	sorted int64
}

func (s *sorter) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case one := <-s.belt.scans:
			time.Sleep(s.pace)
			s.chutes[crc32.ChecksumIEEE([]byte(one.parcel))%uint32(len(s.chutes))] <- one
			atomic.AddInt64(&s.sorted, 1)
		}
	}
}

func (s *sorter) total() int64 { return atomic.LoadInt64(&s.sorted) }

// openChutes opens chutes, each with a loader at its end.
func openChutes(n int) []chan scan {
	chutes := make([]chan scan, n)
	for i := range chutes {
		chutes[i] = make(chan scan, 4)
		go load(chutes[i])
	}
	return chutes
}

func load(chute <-chan scan) {
	for range chute {
		time.Sleep(3 * time.Millisecond)
	}
}
