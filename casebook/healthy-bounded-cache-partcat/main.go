// Command partcat is a catalogue of spare parts with drawings.
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
	budget := flag.Int("budget", 36<<20, "bytes of drawings kept")
	flag.Parse()

	drawings, err := peer.Local(drawingService(), 64)
	if err != nil {
		log.Fatal(err)
	}
	catalogue := &Catalogue{
		drawings: drawings,
		cache:    NewLRU(*budget),
		makers:   newMakers(),
	}
	app := chassis.New("partcat",
		chassis.RequestID(),
		chassis.Recover(),
		chassis.AccessLog(400, time.Second),
		chassis.Caller(nil),
	)
	app.Route("GET", "/part/", catalogue.part)
	app.Route("GET", "/maker/", catalogue.maker)
	app.Meter.Gauge("partcat_cache_bytes", catalogue.cache.bytes)
	for i := 0; i < 16; i++ {
		app.Background(catalogue.makers.scout)
	}
	log.Fatal(app.Serve(*listen))
}
