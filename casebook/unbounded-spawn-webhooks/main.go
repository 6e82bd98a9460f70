package main

import (
	"encoding/json"
	"log"
	"net/http"
	"time"

	"example.org/harborworks/harbor"
)

func main() {
	sink, err := startReceiver(1100 * time.Millisecond)
	if err != nil {
		log.Fatal(err)
	}
	svc := harbor.New("eventrelay")
	feed := newFeed(400 * time.Millisecond)
	relay := newRelay(sink, feed.out)
	stores := openStores(30)

	svc.Background(stores.expire)
	svc.Background(feed.run)
	svc.Background(relay.follow)
	svc.Route("/events", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]int{"events": stores.len()})
	})
	svc.Route("/events/", func(w http.ResponseWriter, r *http.Request) {
		stores.put(r.URL.Path)
		w.WriteHeader(http.StatusAccepted)
	})
	svc.Main()
}
