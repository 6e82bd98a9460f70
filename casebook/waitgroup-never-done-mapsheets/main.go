// Command mapsheets draws the sheets of the ordnance map.
package main

import (
	"context"
	"net/http"
	"path"
	"strconv"
	"time"

	"example.org/halyard/lattice"
	"example.org/halyard/lattice/mid"
)

func main() {
	app := lattice.New("mapsheets")
	atlas := NewAtlas()
	prefetch := NewPrefetch(atlas, 60)

	app.Use(mid.Tenant(func(string) bool { return true }), mid.Deadline(4*time.Second))
	app.Route("/sheet/", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(path.Base(r.URL.Path))
		sheet, err := atlas.Sheet(r.Context(), n%50)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		prefetch.Near(n % 50)
		_, _ = w.Write(sheet)
	})
	app.Every("legend", 2*time.Second, func(context.Context) { atlas.Legend() })
	app.Stats.Gauge("mapsheets_prefetchers", prefetch.Size)
	app.Run()
}
