// Command mailroom takes mail from the relay and hands each message on once.
package main

import (
	"flag"
	"log"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/journal"
	"example.org/granaryworks/granary/lane"
	"example.org/granaryworks/granary/peer"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	remember := flag.Int("remember", 50000, "message ids that are remembered to drop duplicates")
	flag.Parse()

	relay, err := peer.Local(relayService(), 48)
	if err != nil {
		log.Fatal(err)
	}
	room := &Room{
		relay:   relay,
		seen:    NewSeen(*remember),
		senders: NewSenders(),
		stamps:  journal.Open(64),
		sorters: lane.New(36),
	}
	app := chassis.New("mailroom",
		chassis.Recover(),
		chassis.RequestID(),
		chassis.Caller(nil),
		chassis.AccessLog(250, time.Second),
	)
	app.Route("POST", "/collect/", room.collect)
	app.Route("GET", "/senders/", room.listSenders)
	app.Meter.Gauge("mailroom_ids_remembered", room.seen.count)
	app.Background(room.senders.fade)
	log.Fatal(app.Serve(*listen))
}
