package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"sync"
	"time"
)

// Shards answer searches; each has a reader goroutine, opened at the first search that needs it.
type Shards struct {
	mu      sync.Mutex
	readers []chan query
}

type query struct {
	text string
	hits chan<- []string
}

// OpenShards returns n shards without readers.
func OpenShards(n int) *Shards { return &Shards{readers: make([]chan query, n)} }

func (s *Shards) reader(i int) chan query {
	s.mu.Lock()
	defer s.mu.Unlock()
	i %= len(s.readers)
	if s.readers[i] == nil {
		s.readers[i] = make(chan query, 4)
		go serveShard(i, s.readers[i])
	}
	return s.readers[i]
}

func serveShard(number int, queries <-chan query) {
	refresh := time.NewTicker(time.Duration(6+number%7) * time.Second)
	defer refresh.Stop()
	for {
		select {
		case q := <-queries:
			hits := make([]string, 0, 64)
			for i := 0; i < 64; i++ {
				hits = append(hits, fmt.Sprintf("shard %d: %s #%d", number, q.text, i))
			}
			q.hits <- hits
		case <-refresh.C:
		}
	}
}

func (a *app) search(w http.ResponseWriter, r *http.Request) int {
	text := path.Base(r.URL.Path)
	hits := make(chan []string, 6)
	for i := 0; i < 6; i++ {
		a.shards.reader(len(text)*31 + int(text[len(text)-1])*7 + i*29) <- query{text, hits}
	}
	all := make([]string, 0, 400)
	for i := 0; i < 6; i++ {
		all = append(all, <-hits...)
	}
	_ = json.NewEncoder(w).Encode(all)
	return http.StatusOK
}

func (a *app) startPass(w http.ResponseWriter, r *http.Request) int {
	if r.Method != http.MethodPost {
		http.Error(w, "POST", http.StatusMethodNotAllowed)
		return http.StatusMethodNotAllowed
	}
	w.WriteHeader(http.StatusAccepted)
	fmt.Fprintf(w, "pass %d\n", a.indexer.Start())
	return http.StatusAccepted
}
