// Command logsieve reads the logs of other services and learns their vocabulary.
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
	flag.Parse()

	source, err := peer.Local(logService(), 40)
	if err != nil {
		log.Fatal(err)
	}
	sieve := &Sieve{source: source, words: NewVocabulary(), recent: NewRecent(160), readers: make(map[int]chan *Entry)}
	app := chassis.New("logsieve",
		chassis.Recover(),
		chassis.RequestID(),
		chassis.AccessLog(250, time.Second),
		chassis.Caller(nil),
	)
	app.Route("POST", "/read/", sieve.read)
	app.Route("GET", "/words/", sieve.list)
	app.Meter.Gauge("logsieve_words", sieve.words.count)
	app.Background(sieve.words.rank)
	log.Fatal(app.Serve(*listen))
}
