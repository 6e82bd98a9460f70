// Package ingest reads CycloneDX documents.
package ingest

import (
	"io"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/tidwall/gjson"

	"git.oakandiron.tech/supply/sbomindex/internal/advisory"
	"git.oakandiron.tech/supply/sbomindex/internal/index"
)

const maxDocument = 8 << 20

var documents = promauto.NewCounterVec(prometheus.CounterOpts{
	Name: "sbomindex_documents_total", Help: "Documents received.",
}, []string{"outcome"})

// Ingest matches documents against the advisories.
type Ingest struct {
	ix    *index.Index
	table advisory.Table
}

// New returns the receiver.
func New(ix *index.Index, t advisory.Table) *Ingest { return &Ingest{ix: ix, table: t} }

// Receive is POST /v1/sboms.
func (in *Ingest) Receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxDocument))
	if err != nil {
		documents.WithLabelValues("unreadable").Inc()
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !gjson.ValidBytes(body) {
		documents.WithLabelValues("invalid").Inc()
		http.Error(w, "not JSON", http.StatusUnprocessableEntity)
		return
	}
	hits := in.match(body)
	outcome := "clean"
	if hits > 0 {
		outcome = "affected"
	}
	documents.WithLabelValues(outcome).Inc()
	w.WriteHeader(http.StatusAccepted)
}

func (in *Ingest) match(body []byte) int {
	doc := gjson.ParseBytes(body)
	image := doc.Get("metadata.component.name").String()
	digest := doc.Get("metadata.component.version").String()
	hits := 0
	doc.Get("components").ForEach(func(_, c gjson.Result) bool {
		purl, _, _ := strings.Cut(c.Get("purl").String(), "?")
		if id, ok := in.table[purl]; ok {
			in.ix.Put(id, index.Finding{Image: image, Digest: digest, Package: purl})
			hits++
		}
		return true
	})
	return hits
}
