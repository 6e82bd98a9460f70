package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"sync/atomic"
	"time"
)

type event struct {
	ID   int64  `json:"id"`
	Kind string `json:"kind"`
}

// feed makes the events of the platform itself.
type feed struct {
	every time.Duration
	out   chan event
}

func newFeed(every time.Duration) *feed {
	return &feed{every: every, out: make(chan event)}
}

func (f *feed) run(ctx context.Context) {
	tick := time.NewTicker(f.every)
	defer tick.Stop()
	for id := int64(1); ; id++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			f.out <- event{ID: id, Kind: "inventory.changed"}
		}
	}
}

// relay posts every event to the customer's hook.
type relay struct {
	url    string
	events <-chan event
	client *http.Client
	posted int64
}

func newRelay(url string, events <-chan event) *relay {
	return &relay{url: url, events: events, client: &http.Client{
		// The customer allows us one connection.
		Transport: &http.Transport{MaxConnsPerHost: 1, MaxIdleConnsPerHost: 1},
	}}
}

func (r *relay) follow(ctx context.Context) {
	for {
		select {
		case ev := <-r.events:
			go r.deliver(ev)
		case <-ctx.Done():
			return
		}
	}
}

func (r *relay) deliver(ev event) {
	body, err := json.Marshal(ev)
	if err != nil {
		log.Printf("event %d: %v", ev.ID, err)
		return
	}
	if err := r.post(body); err != nil {
		log.Printf("event %d: %v", ev.ID, err)
		return
	}
	atomic.AddInt64(&r.posted, 1)
}

func (r *relay) post(body []byte) error {
	resp, err := r.client.Post(r.url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
