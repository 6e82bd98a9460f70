// Command blobcache lends blobs and counts who still refers to them.
package main

import (
	"flag"
	"log"
	"runtime/debug"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/lane"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	flag.Parse()
	debug.SetGCPercent(50) // blobs are large and few: better collected early

	cache := NewCache(96)
	readers := newReaders(cache, lane.New(14))
	app := chassis.New("blobcache",
		chassis.RequestID(),
		chassis.AccessLog(300, 2*time.Second),
		chassis.Recover(),
	)
	app.Route("GET", "/blob/", readers.read)
	app.Route("GET", "/slow/", readers.slow)
	app.Meter.Gauge("blobcache_handles", cache.lent)
	app.Background(cache.account)
	log.Fatal(app.Serve(*listen))
}
