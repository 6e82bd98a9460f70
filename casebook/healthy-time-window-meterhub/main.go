// Command meterhub collects the readings of household meters and keeps those of the last while at hand.
package main

import (
	"flag"
	"log"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/lane"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	window := flag.Duration("window", 35*time.Second, "how long readings are kept")
	flag.Parse()

	store := NewWindow(*window)
	hub := newHub(store, lane.New(10))
	app := chassis.New("meterhub",
		chassis.RequestID(),
		chassis.Recover(),
		chassis.AccessLog(200, time.Second),
		chassis.Caller(nil),
	)
	app.Route("POST", "/batch/", hub.batch)
	app.Route("GET", "/usage/", hub.usage)
	app.Meter.Gauge("meterhub_batches", store.count)
	app.Background(store.expire)
	app.Background(hub.publish)
	log.Fatal(app.Serve(*listen))
}
