// Command newsdigest collects the day's news from several sources and sends them to readers.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"path"
	"time"

	"example.org/halyard/lattice"
	"example.org/halyard/lattice/mid"
)

func main() {
	app := lattice.New("newsdigest")
	agency, err := StartAgency()
	if err != nil {
		log.Fatal(err)
	}
	digest := NewDigest(agency, "wire", "sports", "markets", "weather", "archive", "local")
	mail := NewMailroom(120)

	app.Use(mid.Deadline(2500 * time.Millisecond))
	app.Route("/digest/", func(w http.ResponseWriter, r *http.Request) {
		items, err := digest.Gather(r.Context(), path.Base(r.URL.Path))
		if err != nil {
			http.Error(w, err.Error(), http.StatusGatewayTimeout)
			return
		}
		_ = json.NewEncoder(w).Encode(items)
	})
	app.Route("/mail/", func(w http.ResponseWriter, r *http.Request) {
		mail.Post(path.Base(r.URL.Path))
		fmt.Fprintln(w, "posted")
	})
	app.Stats.Gauge("newsdigest_mailboxes", mail.Boxes)
	app.Run()
}
