package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/peer"
	"example.org/kestrelops/switchyard/bus"
)

// A Post serves one line.
type Post struct {
	line    string
	seen    int64
	signals *bus.Subscription
	stop    chan struct{}
}

// OnEvent counts the signals of the line.
func (p *Post) OnEvent(e bus.Event) {
	if e.Object == p.line {
		atomic.AddInt64(&p.seen, 1)
	}
}

// lamp lights the post's lamp now and then, until the line is shut.
func (p *Post) lamp() {
	tick := time.NewTicker(11 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			atomic.AddInt64(&p.seen, 0)
		case <-p.stop:
			return
		}
	}
}

// A Box mans a post for each line in service.
type Box struct {
	control *peer.Peer
	signals *bus.Bus

	mu    sync.Mutex
	posts map[string]*Post
}

func (b *Box) manned() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return float64(len(b.posts))
}

func (b *Box) run(ctx context.Context) {
	for {
		if err := b.reconcile(ctx); err != nil {
			log.Printf("lines: %v", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
}

// reconcile mans the posts of new lines and gives up those of lines that were shut.
func (b *Box) reconcile(ctx context.Context) error {
	text, err := b.control.Get(ctx, "/lines", 1<<20)
	if err != nil {
		return err
	}
	var lines []string
	if err := json.Unmarshal(text, &lines); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	wanted := make(map[string]bool, len(lines))
	for _, line := range lines {
		wanted[line] = true
		if b.posts[line] == nil {
			b.posts[line] = b.man(line)
		}
	}
	for line, post := range b.posts {
		if !wanted[line] {
			post.signals.Cancel()
			close(post.stop)
			delete(b.posts, line)
		}
	}
	return nil
}

func (b *Box) man(line string) *Post {
	p := &Post{line: line, stop: make(chan struct{})}
	p.signals = b.signals.Subscribe("signal", p)
	go p.lamp()
	return p
}

func (b *Box) signal(w http.ResponseWriter, r *http.Request) {
	b.signals.Publish(bus.Event{Topic: "signal", Object: "line-" + chassis.Tail(r, "/signal/"), Version: time.Now().Unix()})
	w.WriteHeader(http.StatusAccepted)
}

func (b *Box) status(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for line, post := range b.posts {
		fmt.Fprintf(w, "%s %d\n", line, atomic.LoadInt64(&post.seen))
	}
}
