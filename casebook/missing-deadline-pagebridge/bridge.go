package main

import (
	"bufio"
	"fmt"
	"log"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Bridge speaks the line protocol of the transmitters.
type Bridge struct {
	addr     string
	carriers int32

	mu   sync.Mutex
	idle []*link
}

type link struct {
	conn net.Conn
	in   *bufio.Reader
}

// NewBridge returns a bridge without links.
func NewBridge(addr string) *Bridge { return &Bridge{addr: addr} }

// Carriers is the number of transmitters that are on the air.
func (b *Bridge) Carriers() int { return int(atomic.LoadInt32(&b.carriers)) }

// Send delivers a page in the background; the result comes on the channel.
func (b *Bridge) Send(page string) <-chan error {
	done := make(chan error, 1)
	go func() {
		done <- b.deliver(page)
	}()
	return done
}

func (b *Bridge) deliver(page string) error {
	l, err := b.borrow()
	if err != nil {
		return err
	}
	reply, err := l.exchange("PAGE " + page)
	if err != nil {
		_ = l.conn.Close()
		return err
	}
	b.giveBack(l)
	if reply != "SENT" {
		return fmt.Errorf("transmitter said %q", reply)
	}
	return nil
}

func (b *Bridge) borrow() (*link, error) {
	b.mu.Lock()
	if n := len(b.idle); n > 0 {
		l := b.idle[n-1]
		b.idle = b.idle[:n-1]
		b.mu.Unlock()
		return l, nil
	}
	b.mu.Unlock()
	conn, err := net.DialTimeout("tcp", b.addr, 2*time.Second)
	if err != nil {
		return nil, err
	}
	return &link{conn, bufio.NewReader(conn)}, nil
}

func (b *Bridge) giveBack(l *link) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.idle) < 16 {
		b.idle = append(b.idle, l)
		return
	}
	_ = l.conn.Close()
}

// exchange sends a line and returns the line that answers it.
func (l *link) exchange(line string) (string, error) {
	if _, err := fmt.Fprintln(l.conn, line); err != nil {
		return "", err
	}
	reply, err := l.in.ReadString('\n')
	return strings.TrimSpace(reply), err
}

// control keeps a control connection to a transmitter, over which it says every few seconds that it is on the air.
func (b *Bridge) control(number int) {
	for {
		conn, err := net.DialTimeout("tcp", b.addr, 2*time.Second)
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		fmt.Fprintf(conn, "CONTROL %d\n", number)
		atomic.AddInt32(&b.carriers, 1)
		in := bufio.NewScanner(conn)
		for in.Scan() {
			if !strings.HasPrefix(in.Text(), "CARRIER") {
				log.Printf("transmitter %d: %s", number, in.Text())
			}
		}
		atomic.AddInt32(&b.carriers, -1)
		_ = conn.Close()
	}
}
