package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Carrier is the sandbox of the carrier: papers and tracking.
type Carrier struct {
	base string
}

// StartCarrier starts the sandbox on a port of its own.
func StartCarrier() (*Carrier, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/paper/", func(w http.ResponseWriter, r *http.Request) {
		head := "%PDF-1.7\n"
		if strings.HasSuffix(r.URL.Path, "zip") {
			head = "PK\x03\x04"
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = io.WriteString(w, head+strings.Repeat("0123456789abcdef", 400))
	})
	mux.HandleFunc("/where/", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(350 * time.Millisecond)
		_, _ = io.WriteString(w, strings.Repeat("scanned in hub; ", 900))
	})
	go func() { _ = http.Serve(ln, mux) }()
	return &Carrier{base: "http://" + ln.Addr().String()}, nil
}

// Tracker asks where parcels are, for customers and on its own.
type Tracker struct {
	carrier *Carrier
	client  *http.Client
	parcels int
}

// NewTracker follows so many parcels.
func NewTracker(c *Carrier, parcels int) *Tracker {
	return &Tracker{carrier: c, parcels: parcels, client: &http.Client{
		Timeout:   4 * time.Second,
		Transport: &http.Transport{MaxIdleConnsPerHost: 120, IdleConnTimeout: 15 * time.Minute},
	}}
}

// Ask returns where a parcel is.
func (t *Tracker) Ask(ctx context.Context, parcel int) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/where/%d", t.carrier.base, parcel), nil)
	if err != nil {
		return err.Error()
	}
	resp, err := t.client.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return string(text[:15])
}

// follow asks for all parcels that are due, at once.
func (t *Tracker) follow() {
	for round := 1; ; round++ {
		time.Sleep(5 * time.Second)
		due := t.parcels
		if round > 2 {
			due = 2 * t.parcels
		}
		var all sync.WaitGroup
		for i := 0; i < due; i++ {
			all.Add(1)
			go func(i int) {
				defer all.Done()
				t.Ask(context.Background(), i)
			}(i)
		}
		all.Wait()
	}
}
