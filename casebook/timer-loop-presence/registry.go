package main

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// person is somebody in a room, until they have not been heard of for a while.
type person struct {
	name  string
	room  *room
	until time.Time
	beats int64
}

// beat tells the room now and then that the person is there.
func (p *person) beat() {
	for {
		p.room.hear(p.name)
		atomic.AddInt64(&p.beats, 1)
		time.Sleep(1700 * time.Millisecond)
	}
}

// registry knows who is present.
type registry struct {
	rooms *rooms

	mu     sync.Mutex
	people map[string]*person
}

func newRegistry(rooms *rooms) *registry {
	return &registry{rooms: rooms, people: make(map[string]*person)}
}

func (g *registry) enter(name string, stay time.Duration) {
	p := &person{name: name, room: g.rooms.of(name), until: time.Now().Add(stay)}
	g.mu.Lock()
	g.people[name] = p
	g.mu.Unlock()
	go p.beat()
}

// sweep forgets people whose stay is over.
func (g *registry) sweep(ctx context.Context) {
	for ctx.Err() == nil {
		time.Sleep(time.Second)
		now := time.Now()
		g.mu.Lock()
		for name, p := range g.people {
			if now.After(p.until) {
				delete(g.people, name)
			}
		}
		g.mu.Unlock()
	}
}

func (g *registry) present() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.people)
}
