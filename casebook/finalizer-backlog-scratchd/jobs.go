package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/peer"
)

// Jobs sort what they get from the store, in scratch space.
type Jobs struct {
	pool  *Pool
	store *peer.Peer

	mu      sync.Mutex
	results map[int][]byte
}

func (j *Jobs) run(w http.ResponseWriter, r *http.Request) {
	number, err := strconv.Atoi(chassis.Tail(r, "/jobs/"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	scratch, err := j.pool.Lend()
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	input, err := j.store.Get(r.Context(), "/input/"+strconv.Itoa(number), 1<<20)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	n := copy(scratch.data, input)
	j.keep(number, summary(scratch.data[:n]))
	fmt.Fprintf(w, "job %d: %d bytes in slot %d\n", number, n, scratch.slot)
}

// keep has the results of the last 500 jobs.
func (j *Jobs) keep(number int, result []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.results[number%500] = result
}

func summary(data []byte) []byte {
	sum := make([]byte, 20<<10)
	for i, b := range data {
		sum[i%len(sum)] += b
	}
	return sum
}

func (j *Jobs) result(w http.ResponseWriter, r *http.Request) {
	number, err := strconv.Atoi(chassis.Tail(r, "/results/"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	fmt.Fprintf(w, "%x\n", j.results[number%500])
}

// watch looks at the results now and then.
func (j *Jobs) watch(ctx context.Context) {
	tick := time.NewTicker(7 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			j.mu.Lock()
			n := len(j.results)
			j.mu.Unlock()
			if n > 500 {
				return
			}
		}
	}
}

// storeService stands in for the object store.
func storeService() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(55 * time.Millisecond)
		block := make([]byte, 32<<10)
		copy(block, r.URL.Path)
		w.Write(block)
	})
}
