// Command printspool renders labels for the packing stations and spools them.
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
	every := flag.Duration("every", 50*time.Millisecond, "pace of the packing line")
	flag.Parse()

	events := journal.Open(1024)
	fonts := NewFonts()
	line := &Line{every: *every, fonts: fonts, spool: NewSpool(120 * time.Millisecond), events: events}
	stations := newStations(64)
	app := chassis.New("printspool",
		chassis.AccessLog(100, time.Second),
		chassis.Recover(),
		chassis.RequestID(),
		chassis.Caller(nil),
	)
	app.Route("GET", "/fonts/", fonts.show)
	app.Route("POST", "/stations/", stations.call)
	app.Route("GET", "/events/", line.show)
	app.Meter.Gauge("printspool_labels", line.printed)
	app.Background(line.run)
	app.Background(stations.lights)
	log.Fatal(app.Serve(*listen))
}
