package main

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
)

var errLicence = errors.New("the licence allows no more feeds")

// desk attaches feeds and counts what they bring.
type desk struct {
	source string
	most   int
	lines  int64

	mu    sync.Mutex
	feeds map[string]*feed
}

func newDesk(source string, most int) *desk {
	return &desk{source: source, most: most, feeds: make(map[string]*feed)}
}

func (d *desk) attach(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.feeds) == d.most {
		return errLicence
	}
	conn, err := net.Dial("tcp", d.source)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(conn, name); err != nil {
		return err
	}
	f := &feed{name: name, conn: conn, in: make(chan string), out: make(chan []string)}
	d.feeds[name] = f
	go f.read()
	go f.gather()
	go d.merge(f)
	return nil
}

func (d *desk) merge(f *feed) {
	for lines := range f.out {
		atomic.AddInt64(&d.lines, int64(len(lines)))
	}
}

func (d *desk) merged() int64 { return atomic.LoadInt64(&d.lines) }

// feed is a line that we listen to.
type feed struct {
	name string
	conn net.Conn
	in   chan string
	out  chan []string
}

func (f *feed) read() {
	defer close(f.in)
	lines := bufio.NewScanner(f.conn)
	for lines.Scan() {
		f.in <- lines.Text()
	}
}

// gather hands lines on in bundles; there is nothing to send while the bundle is empty.
func (f *feed) gather() {
	defer close(f.out)
	var bundle []string
	for {
		var out chan<- []string
		if len(bundle) > 0 {
			out = f.out
		}
		select {
		case line, ok := <-f.in:
			if !ok {
				return
			}
			bundle = append(bundle, line)
		case out <- bundle:
			bundle = nil
		}
	}
}
