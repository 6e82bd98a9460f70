// Command tariffs answers what customs duty is due on an article.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"path"
	"time"

	"example.org/halyard/lattice"
	"example.org/halyard/lattice/mid"
)

func main() {
	registry := flag.String("registry", "http://127.0.0.1:8090", "base address of the customs registry")
	app := lattice.New("tariffs")
	flag.Parse()

	table := NewTable(*registry)
	rates := NewRates(*registry)
	watchers := NewWatchers()
	app.Use(mid.Tenant(func(string) bool { return true }), mid.Deadline(2*time.Second))
	app.Route("/duty/", func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(table.Duty(path.Base(r.URL.Path)))
	})
	app.Route("/basket/", func(w http.ResponseWriter, r *http.Request) {
		total, err := rates.Basket(r.Context(), path.Base(r.URL.Path))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		fmt.Fprintln(w, total)
	})
	app.Every("print", 3*time.Second, func(context.Context) { table.Print() })
	app.Background("watchers", watchers.run)
	app.Stats.Gauge("tariffs_known", table.Known)
	app.Run()
}
