package gangway

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// Neighbour is a service on the same host that is spoken to over a pooled client.
type Neighbour struct {
	base   string
	client *http.Client
}

// StartNeighbour serves h on a free loopback port and returns the way to it; the pool keeps so many idle connections.
func StartNeighbour(h http.Handler, idle int) (*Neighbour, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	srv := &http.Server{Handler: h}
	go srv.Serve(ln)
	return &Neighbour{
		base: "http://" + ln.Addr().String(),
		client: &http.Client{
			Timeout: 10 * time.Second,
			Transport: &http.Transport{
				MaxIdleConns:        idle,
				MaxIdleConnsPerHost: idle,
				IdleConnTimeout:     10 * time.Minute,
			},
		},
	}, nil
}

// Get fetches a path and returns the body.
func (n *Neighbour) Get(ctx context.Context, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, n.base+path, nil)
	if err != nil {
		return nil, err
	}
	resp, err := n.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 4<<20))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", path, resp.Status)
	}
	return body, nil
}
