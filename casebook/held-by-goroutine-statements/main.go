// Command statements prepares account statements for download.
package main

import (
	"flag"
	"log"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/journal"
	"example.org/granaryworks/granary/peer"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	patience := flag.Duration("patience", time.Second, "how long a visitor waits for a statement")
	flag.Parse()

	core, err := peer.Local(coreBank(), 96)
	if err != nil {
		log.Fatal(err)
	}
	office := &Office{core: core, patience: *patience, book: journal.Open(512)}
	office.stamps = newStampers(48)
	app := chassis.New("statements",
		chassis.RequestID(),
		chassis.Recover(),
		chassis.AccessLog(150, 2*time.Second),
		chassis.Caller(nil),
	)
	app.Route("GET", "/statement/", office.statement)
	app.Route("GET", "/balance/", office.balance)
	app.Background(office.stamps.rotate)
	log.Fatal(app.Serve(*listen))
}
