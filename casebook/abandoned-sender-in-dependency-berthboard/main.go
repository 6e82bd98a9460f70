// Command berthboard tells the harbour office which berths have water enough.
package main

import (
	"fmt"
	"log"
	"net/http"
	"strings"
	"time"

	"example.org/halyard/tidefeed"
	"example.org/meridian/gangway"
)

func main() {
	svc := gangway.New(gangway.Options{Name: "berthboard", RouteLimit: 4 * time.Second})
	addr, err := serveGauges(500 * time.Millisecond)
	if err != nil {
		log.Fatal(err)
	}
	feed, err := tidefeed.Dial(addr)
	if err != nil {
		log.Fatal(err)
	}
	defer feed.Close()
	wall, err := newWall(feed, gaugeNames)
	if err != nil {
		log.Fatal(err)
	}
	consoles, err := newConsoleLine(20)
	if err != nil {
		log.Fatal(err)
	}
	go gangway.Every(svc.Context(), 8*time.Second, consoles.count)

	board := &tideBoard{feed: feed, depths: map[string]int{"a": 8200, "b": 9400, "c": 11300}}
	svc.HandleFunc("/berths/", board.berth)
	svc.HandleFunc("/wall", wall.show)
	if err := svc.Run(); err != nil {
		log.Fatal(err)
	}
}

type tideBoard struct {
	feed   *tidefeed.Client
	depths map[string]int
}

func (b *tideBoard) berth(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/berths/")
	depth, err := b.depthNow(name)
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintf(w, "berth %s has %d mm\n", name, depth)
}

func (b *tideBoard) depthNow(berth string) (int, error) {
	station := gaugeNames[len(berth)%len(gaugeNames)]
	level, err := b.latest(station)
	if err != nil {
		return 0, err
	}
	return b.depths["b"] + level.Level, nil
}

func (b *tideBoard) latest(station string) (tidefeed.Reading, error) {
	f, err := b.feed.Follow(station)
	if err != nil {
		return tidefeed.Reading{}, err
	}
	go f.Run()
	patience := time.NewTimer(2 * time.Second)
	defer patience.Stop()
	select {
	case r, ok := <-f.C():
		if !ok {
			return r, tidefeed.ErrClosed
		}
		return r, nil
	case <-patience.C:
		return tidefeed.Reading{}, fmt.Errorf("no reading of %s", station)
	}
}
