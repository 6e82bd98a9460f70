package main

import (
	"context"
	"hash/maphash"
	"sync"
	"time"
)

var seed = maphash.MakeSeed()

// vault keeps the sizes of what was stored, in partitions whose keepers wait for work.
type vault struct {
	parts []*partition
}

type partition struct {
	mu    sync.Mutex
	fresh *sync.Cond
	names []string
	size  int64
}

func openVault(parts int) *vault {
	v := &vault{}
	for i := 0; i < parts; i++ {
		p := &partition{}
		p.fresh = sync.NewCond(&p.mu)
		v.parts = append(v.parts, p)
		go p.keep()
		go p.keep()
	}
	return v
}

func (v *vault) put(name string, size int64) {
	p := v.parts[maphash.String(seed, name)%uint64(len(v.parts))]
	p.mu.Lock()
	p.names = append(p.names, name)
	p.size += size
	p.mu.Unlock()
	p.fresh.Signal()
}

func (p *partition) keep() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		for len(p.names) == 0 {
			p.fresh.Wait()
		}
		p.names = p.names[:0]
	}
}

func (v *vault) verify(ctx context.Context) {
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		for _, p := range v.parts {
			p.fresh.Broadcast()
		}
	}
}
