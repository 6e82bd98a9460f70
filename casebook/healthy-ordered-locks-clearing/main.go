// Command clearing moves money between accounts.
package main

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"time"

	"example.org/halyard/lattice"
	"example.org/halyard/lattice/mid"
)

func main() {
	app := lattice.New("clearing")
	house := NewHouse(200)
	batch := NewBatch(house)

	app.Use(mid.Tenant(func(string) bool { return true }))
	app.Route("/transfer/", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(path.Base(r.URL.Path))
		from, to := n%200, 0
		if n%2 == 0 {
			from, to = to, from
		}
		if err := house.Transfer(from, to, int64(n%90)); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		fmt.Fprintln(w, "booked")
	})
	app.Route("/batch", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, batch.Start(40))
	})
	app.Every("statements", 2*time.Second, func(context.Context) { house.Statements() })
	app.Run()
}
