// Command stockroom keeps the shelves of a warehouse and the orders placed against them.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.org/halyard/lattice"
	"example.org/halyard/lattice/mid"
)

type server struct {
	orders  *Orders
	shelf   *Shelf
	pickers *Pickers
	carrier *Carrier
}

func main() {
	app := lattice.New("stockroom")
	carrier, err := DialCarrier()
	if err != nil {
		log.Fatal(err)
	}
	orders := NewOrders()
	shelf := NewShelf(48, orders)
	orders.shelf = shelf
	s := &server{orders: orders, shelf: shelf, pickers: NewPickers(60), carrier: carrier}

	app.Use(mid.Tenant(func(t string) bool { return t == "north" || t == "south" }), mid.Deadline(5*time.Second))
	app.Route("/orders/", s.placeOrder)
	app.Route("/recount/", s.recount)
	app.Route("/labels/", s.label)
	app.Every("forecast", 3*time.Second, func(context.Context) { forecast(shelf.skus) })
	app.Stats.Gauge("stockroom_pickers", func() float64 { return float64(s.pickers.Size()) })
	app.Run()
}

func (s *server) placeOrder(w http.ResponseWriter, r *http.Request) {
	n := tail(r)
	sku := s.shelf.skus[n%len(s.shelf.skus)]
	order, err := s.orders.Place(r.Context(), sku, 1+n%3)
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	s.pickers.Pick(order)
	fmt.Fprintf(w, "order %d accepted\n", order.ID)
}

func (s *server) recount(w http.ResponseWriter, r *http.Request) {
	missing := s.shelf.Recount(tail(r) % aisles)
	fmt.Fprintf(w, "%d missing\n", missing)
}

func (s *server) label(w http.ResponseWriter, r *http.Request) {
	label, err := s.carrier.Label(r.Context(), tail(r))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	_, _ = w.Write(label)
}

func tail(r *http.Request) int {
	n, _ := strconv.Atoi(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:])
	return n
}

// forecast smooths a year of demand for every article.
func forecast(skus []string) {
	for range skus {
		days := make([]float64, 365*4)
		for i := 1; i < len(days); i++ {
			days[i] = 0.9*days[i-1] + 0.1*float64(i%7)
		}
	}
}
