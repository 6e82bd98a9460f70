// Command ratecompare asks banks for their rates on behalf of a customer.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"path"
	"strconv"
	"time"

	"example.org/halyard/lattice"
	"example.org/halyard/lattice/mid"
)

func main() {
	app := lattice.New("ratecompare")
	bank, err := OpenBank()
	if err != nil {
		log.Fatal(err)
	}
	desk := NewDesk(bank)
	app.Use(mid.Tenant(func(string) bool { return true }))
	app.Route("/offers/", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(path.Base(r.URL.Path))
		_ = json.NewEncoder(w).Encode(desk.Offers(n))
	})
	app.Route("/watch/", func(w http.ResponseWriter, r *http.Request) {
		desk.Watch(path.Base(r.URL.Path))
		w.WriteHeader(http.StatusAccepted)
	})
	app.Every("curve", 2*time.Second, func(context.Context) { desk.Curve(200 << 10) })
	app.Stats.Gauge("ratecompare_checks_total", desk.Checks)
	app.Run()
}
