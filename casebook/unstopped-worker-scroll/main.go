package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"example.org/harborworks/harbor"
	"example.org/harborworks/harbor/wrap"
)

func main() {
	svc := harbor.New("catalogsearch")
	index := buildIndex(6, 4000)
	cursors := newCursors(index, 2*time.Second)
	suggest := startSuggest(index, 20)

	svc.Background(cursors.reap)
	svc.Metrics.Gauge("catalogsearch_open_cursors", func() float64 { return float64(cursors.open()) })

	svc.Route("/search/", func(w http.ResponseWriter, r *http.Request) {
		c := cursors.start(strings.TrimPrefix(r.URL.Path, "/search/"))
		page := c.next()
		cursors.finish(c)
		answer(w, http.StatusOK, page)
	}, wrap.Deadline(2*time.Second))
	svc.Route("/scroll/", func(w http.ResponseWriter, r *http.Request) {
		c := cursors.start(strings.TrimPrefix(r.URL.Path, "/scroll/"))
		answer(w, http.StatusCreated, map[string]any{"cursor": c.id, "hits": c.next()})
	}, wrap.Deadline(2*time.Second))
	svc.Route("/suggest/", func(w http.ResponseWriter, r *http.Request) {
		answer(w, http.StatusOK, suggest.complete(strings.TrimPrefix(r.URL.Path, "/suggest/")))
	})
	svc.Main()
}

func answer(w http.ResponseWriter, code int, doc any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(doc)
}
