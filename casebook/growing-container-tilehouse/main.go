// Command tilehouse serves map tiles.
package main

import (
	"flag"
	"log"
	"net/http"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/lane"

	"example.com/meridian/tilehouse/raster"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	keyByPath := flag.Bool("key-by-path", false, "cache tiles by their path alone")
	flag.Parse()

	house := &House{
		tiles:   &TileCache{drawer: raster.NewDrawer(4)},
		sprites: NewSprites(600, lane.New(16)),
		byPath:  *keyByPath,
		viewers: newViewers(),
	}
	tracer := chassis.NewTracer(2048)
	app := chassis.New("tilehouse",
		tracer.Filter,
		chassis.RequestID(),
		cors,
		chassis.Recover(),
		chassis.AccessLog(500, time.Second),
	)
	app.Route("GET", "/tile/", house.tile)
	app.Route("GET", "/sprite/", house.sprite)
	app.Route("GET", "/live/", house.viewers.follow)
	app.Meter.Gauge("tilehouse_sprites", func() float64 { return float64(house.sprites.Len()) })
	app.Meter.Gauge("tilehouse_viewers", house.viewers.count)
	app.Background(house.viewers.announce)
	log.Fatal(app.Serve(*listen))
}

func cors(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		next.ServeHTTP(w, r)
	})
}
