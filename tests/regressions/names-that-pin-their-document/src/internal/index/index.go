// Package index answers which images an advisory concerns.
package index

import (
	"encoding/json"
	"net/http"
	"sync"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

var size = promauto.NewGauge(prometheus.GaugeOpts{
	Name: "sbomindex_findings", Help: "Findings in the index.",
})

// Finding is one affected package in one image.
type Finding struct {
	Image   string `json:"image"`
	Digest  string `json:"digest"`
	Package string `json:"package"`
}

// Index is kept in memory; it is rebuilt from the event log at start.
type Index struct {
	mu   sync.RWMutex
	byID map[string]map[string]Finding // advisory -> digest
}

// New returns an empty index.
func New() *Index { return &Index{byID: make(map[string]map[string]Finding)} }

// Put records a finding.
func (ix *Index) Put(advisory string, f Finding) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	m := ix.byID[advisory]
	if m == nil {
		m = make(map[string]Finding)
		ix.byID[advisory] = m
	}
	if _, ok := m[f.Digest]; !ok {
		size.Inc()
	}
	m[f.Digest] = f
}

// ServeImages lists up to a hundred images of an advisory.
func (ix *Index) ServeImages(w http.ResponseWriter, r *http.Request) {
	ix.mu.RLock()
	out := make([]Finding, 0, 100)
	for _, f := range ix.byID[chi.URLParam(r, "id")] {
		if out = append(out, f); len(out) == cap(out) {
			break
		}
	}
	ix.mu.RUnlock()
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(out)
}
