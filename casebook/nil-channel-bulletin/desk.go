package main

import (
	"fmt"
	"strings"
	"sync"
)

const (
	byPush = iota
	byDigest
)

// subscriber is a reader of the bulletin.
type subscriber struct {
	name  string
	issue chan string   // what was printed, for those who want it at once
	hour  chan struct{} // when a digest is due
	seen  int
}

// desk keeps the subscribers.
type desk struct {
	press *press

	mu   sync.Mutex
	list []*subscriber
}

func (d *desk) subscribe(name string, kind int) *subscriber {
	s := &subscriber{name: name}
	switch kind {
	case byPush:
		s.issue = make(chan string, 2)
		d.press.attach(s.issue)
		go s.read()
	case byDigest:
		go s.collect(d.press)
	}
	d.mu.Lock()
	d.list = append(d.list, s)
	d.mu.Unlock()
	return s
}

func (s *subscriber) read() {
	for range s.issue {
		s.seen++
	}
}

// collect sends what was printed since the last hour, once an hour.
func (s *subscriber) collect(p *press) {
	for {
		s.wait()
		titles := p.since(s.seen)
		s.seen += len(titles)
		fmt.Println(s.name, strings.Join(titles, ", "))
	}
}

func (s *subscriber) wait() {
	<-s.hour
}

func topics() []string {
	var names []string
	for _, section := range []string{"harbour", "weather", "tides", "markets", "council", "sports"} {
		for ward := 0; ward < 30; ward++ {
			names = append(names, fmt.Sprintf("%s-%02d", section, ward))
		}
	}
	return names
}
