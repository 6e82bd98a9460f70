// Command cartsvc keeps the shopping carts of visitors.
package main

import (
	"flag"
	"log"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/peer"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	lifetime := flag.Duration("lifetime", 2*time.Hour, "when a cart without activity is given up")
	release := flag.Bool("release-paid", false, "end the holds of a cart when it is paid")
	flag.Parse()

	prices, err := peer.Local(priceService(), 40)
	if err != nil {
		log.Fatal(err)
	}
	carts := NewCarts(*lifetime, *release)
	shop := &Shop{carts: carts, prices: prices, offers: loadOffers(160), most: 48, partners: make(map[int]chan float64)}
	app := chassis.New("cartsvc",
		chassis.AccessLog(300, time.Second),
		chassis.RequestID(),
		chassis.Recover(),
		chassis.Throttle(500, 300),
		chassis.Caller(nil),
	)
	app.Route("POST", "/checkout/", shop.checkout)
	app.Route("POST", "/carts/", shop.keep)
	app.Route("GET", "/offers/", shop.offer)
	app.Meter.Gauge("cartsvc_carts_open", carts.open)
	app.Background(shop.recount)
	log.Fatal(app.Serve(*listen))
}
