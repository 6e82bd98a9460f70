// Package peer is a client for the other services of the family, and a stand-in for them that runs in
// the same process when no address is configured.
package peer

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// A Peer is another service, called over HTTP with a pool of connections.
type Peer struct {
	base   string
	client *http.Client
}

// Dial returns the peer at base.
func Dial(base string, idle int) *Peer {
	return &Peer{base: base, client: &http.Client{
		Timeout: 15 * time.Second,
		Transport: &http.Transport{
			MaxIdleConns:        idle,
			MaxIdleConnsPerHost: idle,
			IdleConnTimeout:     10 * time.Minute,
		},
	}}
}

// Local serves h on a loopback port and returns the peer that calls it.
func Local(h http.Handler, idle int) (*Peer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: h, IdleTimeout: 10 * time.Minute}
	go server.Serve(listener)
	return Dial("http://"+listener.Addr().String(), idle), nil
}

// Get returns the body at path, of at most limit bytes.
func (p *Peer) Get(ctx context.Context, path string, limit int64) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+path, nil)
	if err != nil {
		return nil, err
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s: %s", path, resp.Status)
	}
	return body, nil
}
