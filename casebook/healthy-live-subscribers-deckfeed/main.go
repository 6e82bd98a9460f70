// Command deckfeed shows passengers what happens on board, as server-sent events.
package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"path"
	"time"

	"example.org/meridian/gangway"
)

func main() {
	svc := gangway.New(gangway.Options{Name: "deckfeed"})
	decks := newDecks()
	go gangway.Every(svc.Context(), 5*time.Second, decks.tidy)

	svc.HandleFunc("/events/", func(w http.ResponseWriter, r *http.Request) {
		flush, ok := w.(http.Flusher)
		if !ok {
			http.Error(w, "cannot stream", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusOK)
		flush.Flush()
		v := decks.deck(path.Base(r.URL.Path)).join()
		defer v.part()
		v.stream(r.Context(), w, flush)
	})
	svc.HandleFunc("/say/", func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(io.LimitReader(r.Body, 1<<10))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		heard := decks.deck(path.Base(r.URL.Path)).say(string(text))
		fmt.Fprintf(w, "%d heard it\n", heard)
	})
	log.Fatal(svc.Run())
}
