package main

import (
	"context"
	"hash/crc32"
	"log"
	"sync"
	"time"
)

const handover = 9 * time.Second

type parcel struct {
	code  string
	chute chan int
}

// team is one generation of sorters, all of whom know the same plan.
type team struct {
	plan  string
	work  chan parcel
	leave chan struct{}
	size  int
}

type plant struct {
	ctx  context.Context
	size int

	mu  sync.RWMutex
	now *team
}

func newPlant(ctx context.Context, size int) *plant {
	p := &plant{ctx: ctx, size: size}
	p.now = p.hire("standard")
	return p
}

func (p *plant) hire(plan string) *team {
	t := &team{plan: plan, work: make(chan parcel), leave: make(chan struct{}), size: p.size}
	for i := 0; i < t.size; i++ {
		s := &sorter{team: t, table: make([]uint32, 4096)}
		go s.run(p.ctx)
	}
	return t
}

// adopt puts a new team to work; the old one finishes what lies on its tables and goes home.
func (p *plant) adopt(plan string) {
	next := p.hire(plan)
	p.mu.Lock()
	old := p.now
	p.now = next
	p.mu.Unlock()
	log.Printf("plan %s follows %s", next.plan, old.plan)
	time.AfterFunc(handover, func() { close(old.leave) })
}

func (p *plant) sort(ctx context.Context, code string) (int, error) {
	p.mu.RLock()
	t := p.now
	p.mu.RUnlock()
	one := parcel{code: code, chute: make(chan int, 1)}
	select {
	case t.work <- one:
		return <-one.chute, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

type sorter struct {
	team  *team
	table []uint32
}

func (s *sorter) run(ctx context.Context) {
	for {
		select {
		case one := <-s.team.work:
			one.chute <- s.find(one.code)
		case <-s.team.leave:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (s *sorter) find(code string) int {
	time.Sleep(30 * time.Millisecond)
	sum := crc32.ChecksumIEEE([]byte(s.team.plan + code))
	s.table[sum%uint32(len(s.table))]++
	return int(sum % 120)
}
