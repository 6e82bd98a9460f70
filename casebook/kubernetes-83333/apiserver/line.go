package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// leasedLine stands for the line to the other site: each page of an answer to a client behind it takes its time.
type leasedLine struct {
	remote *net.IPNet
	delay  atomic.Int64
}

func newLeasedLine(cidr string, delay time.Duration) (*leasedLine, error) {
	_, remote, err := net.ParseCIDR(cidr)
	if err != nil {
		return nil, err
	}
	line := &leasedLine{remote: remote}
	line.delay.Store(int64(delay))
	return line, nil
}

// carry returns when a page would have reached the client.
func (l *leasedLine) carry(client string) {
	host, _, err := net.SplitHostPort(client)
	if err != nil || !l.remote.Contains(net.ParseIP(host)) {
		return
	}
	time.Sleep(time.Duration(l.delay.Load()))
}

// ServeHTTP changes the delay while the server runs: PUT /debug/flags/line-delay with a duration as the body.
func (l *leasedLine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPut {
		http.Error(w, "line-delay is changed by PUT", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 64))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	delay, err := time.ParseDuration(string(body))
	if err != nil || delay < 0 {
		http.Error(w, "not a duration", http.StatusBadRequest)
		return
	}
	l.delay.Store(int64(delay))
	fmt.Fprintf(w, "successfully set line-delay to %s\n", delay)
}
