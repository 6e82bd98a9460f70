// Command placefinder turns addresses into coordinates.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"path"
	"time"

	"example.org/halyard/lattice"
	"example.org/halyard/lattice/mid"
)

func main() {
	provider := flag.String("provider", "http://127.0.0.1:8090", "base address of the geocoding provider")
	app := lattice.New("placefinder")
	flag.Parse()

	coder := NewGeocoder(*provider)
	tiles := NewTiles(*provider, 40)
	app.Use(mid.Tenant(func(string) bool { return true }), mid.Deadline(2*time.Second))
	app.Route("/place/", func(w http.ResponseWriter, r *http.Request) { place(coder, w, r) })
	app.Route("/tile/", tiles.serve)
	app.Every("popular", 2*time.Second, func(context.Context) { coder.Popular() })
	app.Stats.Gauge("placefinder_tile_workers", tiles.Workers)
	app.Run()
}

func place(g *Geocoder, w http.ResponseWriter, r *http.Request) {
	point, err := g.Resolve(r.Context(), path.Base(r.URL.Path))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	_ = json.NewEncoder(w).Encode(point)
}

func drain(body io.ReadCloser) {
	_, _ = io.Copy(io.Discard, io.LimitReader(body, 64<<10))
	_ = body.Close()
}
