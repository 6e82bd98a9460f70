// Command lockdesk hands out leases on named things.
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
	term := flag.Duration("term", 30*time.Second, "how long a lease lasts that is not given back")
	flag.Parse()

	desk := NewDesk(*term, journal.Open(128))
	app := chassis.New("lockdesk",
		chassis.RequestID(),
		chassis.Recover(),
		chassis.Caller(nil),
		chassis.AccessLog(300, time.Second),
	)
	app.Route("POST", "/lease/", desk.lease)
	app.Route("POST", "/brief/", desk.brief)
	app.Route("GET", "/leases/", desk.list)
	app.Route("GET", "/watch/", desk.watch)
	app.Meter.Gauge("lockdesk_leases", desk.held)
	app.Background(desk.rounds)
	log.Fatal(app.Serve(*listen))
}
