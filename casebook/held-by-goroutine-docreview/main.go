// Command docreview takes documents in and files them once a reviewer has looked at them.
package main

import (
	"flag"
	"log"
	"time"

	"example.org/granaryworks/granary/chassis"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	deadline := flag.Duration("deadline", 6*time.Second, "how long a document waits for a reviewer")
	flag.Parse()

	desk := newDesk(*deadline)
	archive := newArchive(desk, 900)
	app := chassis.New("docreview",
		chassis.Recover(),
		chassis.RequestID(),
		chassis.AccessLog(200, time.Second),
		chassis.Caller(map[string]string{"scan": "scanner"}),
	)
	in := &Intake{desk: desk, archive: archive}
	app.Route("POST", "/documents/", in.receive)
	app.Route("GET", "/archive/", archive.show)
	app.Meter.Gauge("docreview_open_tickets", desk.open)
	app.Background(desk.expire)
	for i := 0; i < 9; i++ {
		app.Background(desk.reviewer)
	}
	for i := 0; i < 40; i++ {
		app.Background(archive.indexer)
	}
	log.Fatal(app.Serve(*listen))
}
