package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Event is something a customer wants to know.
type Event struct {
	ID   string
	Body []byte
}

// Relay delivers events with a few workers.
type Relay struct {
	base    string
	client  *http.Client
	workers int
	queue   chan Event
	failed  uint64
}

// NewRelay returns a relay that begins with Run.
func NewRelay(base string, workers int) *Relay {
	return &Relay{
		base: base, workers: workers, queue: make(chan Event, 500),
		client: &http.Client{Transport: &http.Transport{
			MaxIdleConnsPerHost: workers, IdleConnTimeout: 90 * time.Second, ResponseHeaderTimeout: 5 * time.Second,
		}},
	}
}

// Failed is the number of deliveries that the receiver refused.
func (r *Relay) Failed() float64 { return float64(atomic.LoadUint64(&r.failed)) }

// Enqueue takes an event; when the relay is far behind, it is lost.
func (r *Relay) Enqueue(e Event) {
	select {
	case r.queue <- e:
	default:
	}
}

// Run works until the service ends.
func (r *Relay) Run(ctx context.Context) {
	var all sync.WaitGroup
	for i := 0; i < r.workers; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			r.work(ctx)
		}()
	}
	all.Wait()
}

func (r *Relay) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-r.queue:
			if err := r.deliver(e); err != nil {
				atomic.AddUint64(&r.failed, 1)
			}
		}
	}
}

func (r *Relay) deliver(e Event) error {
	req, err := http.NewRequest(http.MethodPost, r.base+"/hook/"+e.ID, bytes.NewReader(e.Body))
	if err != nil {
		return err
	}
	req.Header.Set("X-Signature", sign(e.Body))
	resp, err := r.client.Do(req)
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("event %s: the receiver said %s", e.ID, resp.Status)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	if closing := resp.Body.Close(); err == nil {
		err = closing
	}
	return err
}

func sign(body []byte) string {
	mac := hmac.New(sha256.New, []byte("shared"))
	_, _ = mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}
