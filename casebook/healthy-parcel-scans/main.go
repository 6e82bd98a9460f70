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
	svc := harbor.New("parcelscan")
	belt := newBelt(8)
	sorter := &sorter{belt: belt, pace: 55 * time.Millisecond, chutes: openChutes(25)}

	svc.Background(sorter.run)
	svc.Metrics.Gauge("parcelscan_sorted", func() float64 { return float64(sorter.total()) })
	svc.Route("/scans/", func(w http.ResponseWriter, r *http.Request) {
		s := scan{parcel: strings.TrimPrefix(r.URL.Path, "/scans/"), by: wrap.CallerOf(r.Context()), at: time.Now()}
		go belt.put(s)
		w.WriteHeader(http.StatusAccepted)
	})
	svc.Route("/sorted", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(sorter.total())
	})
	svc.Main()
}
