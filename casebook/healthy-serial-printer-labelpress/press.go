package main

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Press owns the connection to the printer, which takes one label at a time.
type Press struct {
	printed uint64

	mu   sync.Mutex
	conn net.Conn
	in   *bufio.Reader
}

// Connect dials the printer.
func Connect(addr string) (*Press, error) {
	conn, err := net.DialTimeout("tcp", addr, 2*time.Second)
	if err != nil {
		return nil, err
	}
	return &Press{conn: conn, in: bufio.NewReader(conn)}, nil
}

// Printed is the number of labels.
func (p *Press) Printed() float64 { return float64(atomic.LoadUint64(&p.printed)) }

// Print prints a label and returns what the printer said.
func (p *Press) Print(label string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exchange("PRINT " + label)
}

// exchange sends a command and reads its answer; mu is held.
func (p *Press) exchange(command string) (string, error) {
	if err := p.conn.SetDeadline(time.Now().Add(15 * time.Second)); err != nil {
		return "", err
	}
	if _, err := fmt.Fprintln(p.conn, command); err != nil {
		return "", err
	}
	reply, err := p.in.ReadString('\n')
	if err != nil {
		return "", err
	}
	atomic.AddUint64(&p.printed, 1)
	return strings.TrimSpace(reply), nil
}

// ribbon estimates how much ribbon is left from the labels of the last hours.
func (p *Press) ribbon(samples int) int {
	used := make([]uint32, samples)
	for i := range used {
		used[i] = uint32(atomic.LoadUint64(&p.printed)) + uint32(i)
	}
	return len(used)
}

// startPrinter starts the printer of the test line.
func startPrinter(speed time.Duration) (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go printer(conn, speed)
		}
	}()
	return ln.Addr().String(), nil
}

func printer(conn net.Conn, speed time.Duration) {
	defer conn.Close()
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		time.Sleep(speed)
		if _, err := fmt.Fprintf(conn, "OK %s\n", lines.Text()); err != nil {
			return
		}
	}
}
