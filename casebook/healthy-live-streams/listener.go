package main

import "sync"

// listener keeps the newest levels for a client that may be slow.
type listener struct {
	in   chan string
	out  chan string
	gone chan struct{}
	once sync.Once
}

func newListener() *listener {
	return &listener{in: make(chan string, 1), out: make(chan string), gone: make(chan struct{})}
}

// pump drops what is old when the client does not keep up.
func (l *listener) pump() {
	var held []string
	for {
		var next string
		var out chan<- string
		if len(held) > 0 {
			next, out = held[0], l.out
		}
		select {
		case text := <-l.in:
			if held = append(held, text); len(held) > 10 {
				held = held[1:]
			}
		case out <- next:
			held = held[1:]
		case <-l.gone:
			return
		}
	}
}

func (l *listener) offer(text string) {
	select {
	case l.in <- text:
	default:
	}
}

func (l *listener) close() {
	l.once.Do(func() { close(l.gone) })
}
