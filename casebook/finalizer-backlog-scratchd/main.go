// Command scratchd lends scratch space to jobs.
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
	slots := flag.Int("slots", 4096, "slots of the scratch file")
	flag.Parse()

	store, err := peer.Local(storeService(), 40)
	if err != nil {
		log.Fatal(err)
	}
	pool := NewPool(*slots)
	jobs := &Jobs{pool: pool, store: store, results: make(map[int][]byte)}
	app := chassis.New("scratchd",
		chassis.RequestID(),
		chassis.Recover(),
		chassis.AccessLog(150, time.Second),
		chassis.Caller(nil),
	)
	app.Route("POST", "/jobs/", jobs.run)
	app.Route("GET", "/results/", jobs.result)
	app.Meter.Gauge("scratchd_slots_free", pool.available)
	app.Background(pool.recycle)
	for i := 0; i < 30; i++ {
		app.Background(jobs.watch)
	}
	log.Fatal(app.Serve(*listen))
}
