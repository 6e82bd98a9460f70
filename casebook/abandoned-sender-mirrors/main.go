package main

import (
	"flag"
	"log"
	"net/http"
	"time"

	"example.org/tinlane/plumb/httpd"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	tiles := flag.Int("tiles", 48, "tiles kept warm")
	flag.Parse()

	mirrors := []*mirror{
		newMirror("fra", 6*time.Millisecond),
		newMirror("ord", 11*time.Millisecond),
		newMirror("sin", 17*time.Millisecond),
	}
	places := newCache(2000)
	r := &resolver{mirrors: mirrors, cache: places, limit: 2 * time.Second}
	for i := 0; i < *tiles; i++ {
		go newTile(i).keepWarm()
	}
	journal := openJournal()

	app := httpd.New("geolookup",
		httpd.WithStep(journal.record),
		httpd.WithServer(func(s *http.Server) { s.IdleTimeout = 3 * time.Minute }),
	)
	app.On("GET", "/v1/locate/", r.locate, httpd.Within(3*time.Second))
	app.On("GET", "/v1/mirrors", r.list)
	log.Fatal(app.Serve(*listen))
}
