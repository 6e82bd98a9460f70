package main

import (
	"context"
	"hash/crc32"
	"sync"
	"sync/atomic"
	"time"
)

// tileStore keeps recently used chart tiles; each has a keeper that drops it when nobody asks for it any more.
type tileStore struct {
	ctx context.Context
	max int
	sum uint32

	mu   sync.Mutex
	open map[string]*tile
}

type tile struct {
	key    string
	pixels []byte
	used   chan struct{}
}

func newTileStore(ctx context.Context, max int) *tileStore {
	return &tileStore{ctx: ctx, max: max, open: make(map[string]*tile)}
}

func (s *tileStore) touch(ports string) {
	key := ports[len(ports)-1:] + ports[:1]
	s.mu.Lock()
	t := s.open[key]
	if t == nil && len(s.open) < s.max {
		t = &tile{key: key, pixels: make([]byte, 96<<10), used: make(chan struct{}, 1)}
		s.open[key] = t
		go s.attend(t)
	}
	s.mu.Unlock()
	if t == nil {
		return
	}
	select {
	case t.used <- struct{}{}:
	default:
	}
}

// survey sums the open tiles up for the chart office.
func (s *tileStore) survey(context.Context) {
	s.mu.Lock()
	thumbs := make([][]byte, 0, len(s.open))
	for _, t := range s.open {
		thumbs = append(thumbs, append([]byte(nil), t.pixels[:12<<10]...))
	}
	s.mu.Unlock()
	sum := crc32.NewIEEE()
	for _, thumb := range thumbs {
		sum.Write(thumb)
	}
	atomic.StoreUint32(&s.sum, sum.Sum32())
}

func (s *tileStore) attend(t *tile) {
	idle := time.NewTimer(3 * time.Minute)
	defer idle.Stop()
	for {
		select {
		case <-t.used:
			idle.Reset(3 * time.Minute)
		case <-idle.C:
			s.mu.Lock()
			delete(s.open, t.key)
			s.mu.Unlock()
			return
		case <-s.ctx.Done():
			return
		}
	}
}
