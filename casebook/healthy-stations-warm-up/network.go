package main

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

type reading struct {
	station int
	at      time.Time
}

// network has a recorder for every station that was ever heard of.
type network struct {
	mu        sync.Mutex
	recorders map[int]*recorder
}

func newNetwork() *network {
	return &network{recorders: make(map[int]*recorder)}
}

func (n *network) recorder(station int) *recorder {
	n.mu.Lock()
	defer n.mu.Unlock()
	r, ok := n.recorders[station]
	if !ok {
		r = newRecorder(station)
		n.recorders[station] = r
		go r.run()
	}
	return r
}

func (n *network) take(w http.ResponseWriter, r *http.Request) {
	station, err := stationOf(r.URL.Path)
	if err != nil {
		http.Error(w, "which station?", http.StatusBadRequest)
		return
	}
	n.recorder(station).readings <- reading{station, time.Now()}
	w.WriteHeader(http.StatusAccepted)
}

func (n *network) list(w http.ResponseWriter, _ *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	_ = json.NewEncoder(w).Encode(len(n.recorders))
}

func (n *network) checkpoint() {
	n.mu.Lock()
	all := make([]*recorder, 0, len(n.recorders))
	for _, r := range n.recorders {
		all = append(all, r)
	}
	n.mu.Unlock()
	for _, r := range all[:len(all)/8] {
		r.save <- struct{}{}
	}
}
