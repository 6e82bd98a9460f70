package main

import (
	"fmt"
	"hash/adler32"
	"sync"
	"time"
)

// room is a place people meet in; it airs itself.
type room struct {
	number int

	mu    sync.Mutex
	heard [16]string
	next  int
}

type rooms struct {
	all []*room
}

func openRooms(n int) *rooms {
	rs := &rooms{}
	for i := 0; i < n; i++ {
		r := &room{number: i}
		rs.all = append(rs.all, r)
		go r.air()
	}
	return rs
}

func (rs *rooms) of(name string) *room {
	return rs.all[adler32.Checksum([]byte(name))%uint32(len(rs.all))]
}

func (r *room) air() {
	for {
		time.Sleep(time.Duration(2500+50*r.number) * time.Millisecond)
		r.mu.Lock()
		r.heard[r.next%len(r.heard)] = ""
		r.mu.Unlock()
	}
}

func (r *room) hear(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard[r.next%len(r.heard)] = name
	r.next++
}

func (r *room) title() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return fmt.Sprintf("room %d, %d heard", r.number, r.next)
}
