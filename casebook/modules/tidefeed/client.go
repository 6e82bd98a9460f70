// Package tidefeed follows the water levels that a Halyard gauge server publishes over TCP, one line per reading.
package tidefeed

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ErrClosed is returned once the connection to the gauge server is gone.
var ErrClosed = errors.New("tidefeed: connection closed")

// Reading is one measurement of one station.
type Reading struct {
	Station string
	Level   int // millimetres above chart datum
}

// Client shares one connection among any number of followers.
type Client struct {
	conn net.Conn

	mu        sync.Mutex
	followers map[string]map[*Follower]struct{}
	err       error
}

// Dial connects to a gauge server.
func Dial(addr string) (*Client, error) {
	conn, err := net.DialTimeout("tcp", addr, 3*time.Second)
	if err != nil {
		return nil, fmt.Errorf("tidefeed: %w", err)
	}
	c := &Client{conn: conn, followers: make(map[string]map[*Follower]struct{})}
	go c.readLoop()
	return c, nil
}

// Close ends the connection; every follower's channel is closed.
func (c *Client) Close() error {
	return c.conn.Close()
}

func (c *Client) readLoop() {
	lines := bufio.NewScanner(c.conn)
	for lines.Scan() {
		r, err := parse(lines.Text())
		if err != nil {
			continue
		}
		c.dispatch(r)
	}
	c.fail(ErrClosed)
}

func (c *Client) dispatch(r Reading) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for f := range c.followers[r.Station] {
		f.offer(r)
	}
}

func (c *Client) fail(err error) {
	c.mu.Lock()
	c.err = err
	all := c.followers
	c.followers = make(map[string]map[*Follower]struct{})
	c.mu.Unlock()
	for _, set := range all {
		for f := range set {
			f.end()
		}
	}
}

func (c *Client) attach(f *Follower) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	set := c.followers[f.station]
	if set == nil {
		set = make(map[*Follower]struct{})
		c.followers[f.station] = set
	}
	set[f] = struct{}{}
	return nil
}

func (c *Client) detach(f *Follower) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.followers[f.station], f)
	if len(c.followers[f.station]) == 0 {
		delete(c.followers, f.station)
	}
}

func parse(line string) (Reading, error) {
	station, level, ok := strings.Cut(line, " ")
	if !ok {
		return Reading{}, fmt.Errorf("tidefeed: bad line %q", line)
	}
	mm, err := strconv.Atoi(level)
	if err != nil {
		return Reading{}, fmt.Errorf("tidefeed: bad level %q", level)
	}
	return Reading{Station: station, Level: mm}, nil
}
