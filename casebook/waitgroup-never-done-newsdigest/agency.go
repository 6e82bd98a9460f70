package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

var errQuota = errors.New("quota is used up")

// Agency serves the news of all sources; its archive answers three of four questions.
type Agency struct {
	base   string
	client *http.Client
	asked  uint64
}

// StartAgency starts the feed server of the house.
func StartAgency() (*Agency, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	a := &Agency{
		base: "http://" + ln.Addr().String(),
		client: &http.Client{Transport: &http.Transport{
			MaxIdleConnsPerHost: 64, IdleConnTimeout: 3 * time.Minute, ResponseHeaderTimeout: 2 * time.Second,
		}},
	}
	feeds := http.NewServeMux()
	feeds.HandleFunc("/", a.answer)
	go func() { _ = http.Serve(ln, feeds) }()
	return a, nil
}

func (a *Agency) answer(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/archive/") && atomic.AddUint64(&a.asked, 1)%4 == 0 {
		http.Error(w, "quota", http.StatusTooManyRequests)
		return
	}
	time.Sleep(30 * time.Millisecond)
	titles := make([]string, 3)
	for i := range titles {
		titles[i] = fmt.Sprintf("%s, part %d: %s", r.URL.Path, i, strings.Repeat("lorem ", 300))
	}
	_ = json.NewEncoder(w).Encode(titles)
}

// Fetch asks one source.
func (a *Agency) Fetch(ctx context.Context, source, topic string) ([]string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.base+"/"+source+"/"+topic, nil)
	if err != nil {
		return nil, err
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusTooManyRequests {
		return nil, errQuota
	}
	var titles []string
	return titles, json.NewDecoder(resp.Body).Decode(&titles)
}
