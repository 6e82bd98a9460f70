// Command storefront renders the pages of the shop.
package main

import (
	"flag"
	"log"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/lane"
	"example.org/granaryworks/granary/peer"
	"example.org/kestrelops/switchyard/toggles"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	shared := flag.Bool("shared-experiments", false, "one set of experiments for all pages")
	flag.Parse()

	stock, err := peer.Local(stockService(), 32)
	if err != nil {
		log.Fatal(err)
	}
	store := toggles.NewStore(features())
	pages := newPages(store, stock, *shared)
	tracer := chassis.NewTracer(1024)
	app := chassis.New("storefront",
		chassis.RequestID(),
		chassis.AccessLog(300, 2*time.Second),
		chassis.Recover(),
		chassis.Throttle(400, 200),
		chassis.Caller(nil),
		tracer.Filter,
	)
	app.Route("GET", "/catalog/", pages.catalog)
	app.Route("GET", "/cart/", pages.cart)
	app.Route("POST", "/features/", pages.setFeature)
	app.Meter.Gauge("storefront_layouts", func() float64 { return float64(pages.layouts.size()) })
	app.Background(pages.preview(lane.New(24)))
	log.Fatal(app.Serve(*listen))
}
