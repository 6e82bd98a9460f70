package main

import (
	"net/http"
	"path"
	"sync/atomic"
	"time"
)

// Tiles fetches map tiles with a few workers that stay once they are there.
type Tiles struct {
	base   string
	client *http.Client
	most   int32
	size   int32
	idle   uint64
	jobs   chan tileJob
}

type tileJob struct {
	name string
	done chan int
}

// NewTiles allows so many workers.
func NewTiles(base string, most int) *Tiles {
	return &Tiles{
		base: base, most: int32(most), jobs: make(chan tileJob),
		client: &http.Client{
			Timeout:   3 * time.Second,
			Transport: &http.Transport{MaxIdleConnsPerHost: most},
		},
	}
}

// Workers is how many there are.
func (t *Tiles) Workers() float64 { return float64(atomic.LoadInt32(&t.size)) }

func (t *Tiles) serve(w http.ResponseWriter, r *http.Request) {
	job := tileJob{path.Base(r.URL.Path), make(chan int, 1)}
	select {
	case t.jobs <- job:
	default:
		if atomic.AddInt32(&t.size, 1) <= t.most {
			go t.work()
		} else {
			atomic.AddInt32(&t.size, -1)
		}
		t.jobs <- job
	}
	w.WriteHeader(<-job.done)
}

func (t *Tiles) work() {
	for {
		select {
		case job := <-t.jobs:
			job.done <- t.fetch(job.name)
		case <-time.After(10 * time.Second):
			atomic.AddUint64(&t.idle, 1)
		}
	}
}

func (t *Tiles) fetch(name string) int {
	resp, err := t.client.Get(t.base + "/v1/tile/" + name)
	if err != nil {
		return http.StatusBadGateway
	}
	defer drain(resp.Body)
	return resp.StatusCode
}
