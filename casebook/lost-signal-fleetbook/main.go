// Command fleetbook rents out bicycles and remembers where they are.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"time"

	"example.org/halyard/lattice"
	"example.org/halyard/lattice/mid"
)

func main() {
	app := lattice.New("fleetbook")
	ledger := NewLedger(OpenPool(6))
	mail := StartReceipts(28)

	app.Use(mid.Tenant(func(string) bool { return true }))
	app.Route("/rent/", func(w http.ResponseWriter, r *http.Request) {
		bike, _ := strconv.Atoi(path.Base(r.URL.Path))
		trip, err := ledger.Rent(r.Context(), bike%900)
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		mail.Send(trip)
		fmt.Fprintf(w, "trip %d\n", trip)
	})
	app.Route("/map", func(w http.ResponseWriter, r *http.Request) { _ = json.NewEncoder(w).Encode(ledger.Map()) })
	app.Every("positions", 1500*time.Millisecond, func(context.Context) { ledger.Positions(900) })
	app.Stats.Gauge("fleetbook_connections_open", ledger.pool.Open)
	app.Run()
}
