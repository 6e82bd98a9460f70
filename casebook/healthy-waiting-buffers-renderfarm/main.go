// Command renderfarm takes scenes in at any pace and renders them a few at a time.
package main

import (
	"flag"
	"log"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/journal"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	kilns := flag.Int("kilns", 6, "scenes that are rendered at a time")
	flag.Parse()

	farm := NewFarm(*kilns, journal.Open(400))
	app := chassis.New("renderfarm",
		chassis.Recover(),
		chassis.RequestID(),
		chassis.AccessLog(100, time.Second),
		chassis.Caller(nil),
	)
	app.Route("POST", "/scenes/", farm.receive)
	app.Route("GET", "/frames/", farm.frames)
	app.Meter.Gauge("renderfarm_waiting", farm.waiting)
	log.Fatal(app.Serve(*listen))
}
