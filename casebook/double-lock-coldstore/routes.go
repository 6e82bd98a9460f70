package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"path"
	"sync/atomic"
	"time"
)

type routes struct {
	archive *Archive
	hashers *Hashers
	watch   *Watch
}

func (s *routes) file(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if len(data) < 4096 {
		data = append(data, make([]byte, 4096-len(data))...)
	}
	f := file{name: path.Base(r.URL.Path), data: data}
	f.sum = s.hashers.Sum(data)
	if !s.archive.Accept(f) {
		http.Error(w, "try again later", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintf(w, "%x\n", f.sum[:8])
}

func (s *routes) segments(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintf(w, "%d sealed, %d files\n", atomic.LoadUint64(&s.archive.sealed), atomic.LoadUint64(&s.archive.packed))
}

// follow streams the state of the store to a dashboard.
func (s *routes) follow(w http.ResponseWriter, r *http.Request) {
	flush, ok := w.(http.Flusher)
	if !ok {
		http.Error(w, "no streaming", http.StatusNotImplemented)
		return
	}
	states, leave := s.watch.Join()
	defer leave()
	flush.Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case at := <-states:
			fmt.Fprintf(w, "data: %s\n\n", at.Format(time.RFC3339))
			flush.Flush()
		}
	}
}

// Hashers bound how many files are hashed at once; each worker stays once it is there.
type Hashers struct {
	jobs chan hashJob
	free chan struct{}
}

type hashJob struct {
	data []byte
	out  chan [32]byte
}

// NewHashers allows so many workers.
func NewHashers(most int) *Hashers {
	h := &Hashers{jobs: make(chan hashJob), free: make(chan struct{}, most)}
	for i := 0; i < most; i++ {
		h.free <- struct{}{}
	}
	return h
}

// Sum hashes on a worker.
func (h *Hashers) Sum(data []byte) [32]byte {
	job := hashJob{data, make(chan [32]byte, 1)}
	select {
	case <-h.free:
		go h.work()
	default:
	}
	h.jobs <- job
	return <-job.out
}

func (h *Hashers) work() {
	for job := range h.jobs {
		job.out <- sha256.Sum256(job.data)
	}
}
