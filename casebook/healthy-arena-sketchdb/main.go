// Command sketchdb counts distinct things in sketches that live in one arena.
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
	size := flag.Int("arena", 144<<20, "bytes of the arena")
	flag.Parse()

	arena, err := NewArena(*size)
	if err != nil {
		log.Fatal(err)
	}
	source, err := peer.Local(itemService(), 20)
	if err != nil {
		log.Fatal(err)
	}
	db := &DB{arena: arena, source: source, names: make(map[string]int)}
	app := chassis.New("sketchdb",
		chassis.Recover(),
		chassis.AccessLog(200, time.Second),
		chassis.RequestID(),
	)
	app.Route("POST", "/count/", db.count)
	app.Route("GET", "/estimate/", db.estimate)
	app.Meter.Gauge("sketchdb_arena_bytes", func() float64 { return float64(len(arena.bytes)) })
	app.Meter.Gauge("sketchdb_sketches", db.sketches)
	for i := 0; i < 22; i++ {
		app.Background(db.compactor)
	}
	log.Fatal(app.Serve(*listen))
}
