package main

import (
	"bytes"
	"net"
)

// couriers bring the files of our own depots.
type couriers struct {
	trips chan string
}

func newCouriers(n int) *couriers {
	c := &couriers{trips: make(chan string, 100)}
	for i := 0; i < n; i++ {
		go c.drive()
	}
	return c
}

func (c *couriers) send(addr string) { c.trips <- addr }

func (c *couriers) drive() {
	load := bytes.Repeat([]byte("crate "), 3000)
	for addr := range c.trips {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			continue
		}
		_, _ = conn.Write(load)
		_ = conn.Close()
	}
}
