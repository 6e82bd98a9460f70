// Command pilotage advises pilots: each ship under pilotage has the water ahead of it computed with every reading.
package main

import (
	"flag"
	"log"
	"net"
	"net/http"
	"time"

	"example.org/halyard/tidefeed"
	"example.org/meridian/gangway"
)

var pace = flag.Duration("gauge-pace", 400*time.Millisecond, "how often the gauges speak")

func main() {
	svc := gangway.New(gangway.Options{Name: "pilotage", AccessLog: true, RouteLimit: 6 * time.Second})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go relay(ln)
	feed, err := tidefeed.Dial(ln.Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	charts, err := gangway.StartNeighbour(http.HandlerFunc(soundings), 20)
	if err != nil {
		log.Fatal(err)
	}
	d := newDispatcher(feed, charts)
	svc.HandleFunc("/ships/", d.ship)
	svc.HandleFunc("/level/", d.level)
	log.Println(svc.Run())
}

func relay(ln net.Listener) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			log.Printf("relay: %v", err)
			return
		}
		go tidefeed.Publish(conn, stations, *pace)
	}
}

func soundings(w http.ResponseWriter, r *http.Request) {
	time.Sleep(30 * time.Millisecond)
	w.Write([]byte("7400 7700 8100 9050\n"))
}
