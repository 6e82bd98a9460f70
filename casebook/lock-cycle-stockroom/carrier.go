package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// Carrier prints shipping labels over HTTP.
type Carrier struct {
	base   string
	client *http.Client
}

// DialCarrier starts the label printer of the house and a client for it.
func DialCarrier() (*Carrier, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	printer := http.NewServeMux()
	printer.HandleFunc("/label/", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(400 * time.Millisecond)
		fmt.Fprintf(w, "^XA^FO50,50^FD%s^FS^XZ", r.URL.Path)
	})
	go func() { _ = http.Serve(ln, printer) }()
	return &Carrier{
		base: "http://" + ln.Addr().String(),
		client: &http.Client{
			Timeout:   2 * time.Second,
			Transport: &http.Transport{MaxIdleConnsPerHost: 32, IdleConnTimeout: 5 * time.Minute},
		},
	}, nil
}

// Label fetches one label.
func (c *Carrier) Label(ctx context.Context, n int) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/label/%d", c.base, n), nil)
	if err != nil {
		return nil, err
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}
