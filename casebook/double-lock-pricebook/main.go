// Command pricebook answers what an article costs, in every currency of the house.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"path"
	"strconv"
	"time"

	"example.org/halyard/lattice"
	"example.org/halyard/lattice/mid"
)

type api struct {
	book    *Book
	history *History
}

func main() {
	app := lattice.New("pricebook")
	a := &api{book: NewBook(2000), history: OpenHistory(24)}

	app.Use(mid.Deadline(3 * time.Second))
	app.Route("/prices/", a.price)
	app.Route("/currency/", a.currency)
	app.Route("/history/", a.past)
	app.Background("exchange", func(ctx context.Context) { follow(ctx, a.book) })
	app.Every("audit", 4*time.Second, func(context.Context) { a.history.Audit() })
	app.Stats.Gauge("pricebook_history_open", func() float64 { return float64(a.history.Open()) })
	app.Run()
}

func (a *api) price(w http.ResponseWriter, r *http.Request) {
	id := number(r)
	switch r.Method {
	case http.MethodGet:
		quote, err := a.book.Lookup(id % 2000)
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		_ = json.NewEncoder(w).Encode(quote)
	case http.MethodPut:
		revision := a.book.Put(id%2000, int64(100+id%900))
		fmt.Fprintln(w, revision)
	default:
		http.Error(w, "GET or PUT", http.StatusMethodNotAllowed)
	}
}

func (a *api) currency(w http.ResponseWriter, r *http.Request) {
	changed, err := a.book.Rebase(path.Base(r.URL.Path))
	if err != nil {
		log.Printf("rebase: %v", err)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprintln(w, changed)
}

func (a *api) past(w http.ResponseWriter, r *http.Request) {
	rows, err := a.history.Read(r.Context(), number(r))
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	_ = json.NewEncoder(w).Encode(rows)
}

func number(r *http.Request) int {
	n, _ := strconv.Atoi(path.Base(r.URL.Path))
	return n
}
