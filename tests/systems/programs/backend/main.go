// Command backend answers what is known of an item; at most four lookups at a time.
package main

import (
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"

	"example.com/market/telemetry"
)

type lookups struct {
	slots chan struct{}
	fails bool
	pause time.Duration
}

func (l *lookups) find(id string) (string, error) {
	l.slots <- struct{}{}
	n, err := strconv.Atoi(id)
	if err != nil || (l.fails && n%5 == 0) {
		return "", fmt.Errorf("no item %q", id)
	}
	time.Sleep(l.pause)
	<-l.slots
	return "item " + id, nil
}

func (l *lookups) item(w http.ResponseWriter, r *http.Request) {
	found, err := l.find(r.URL.Query().Get("id"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	fmt.Fprintln(w, found)
}

func main() {
	telemetry.Serve()
	pause, _ := time.ParseDuration(os.Getenv("PAUSE"))
	l := &lookups{slots: make(chan struct{}, 4), fails: os.Getenv("STRICT") != "", pause: pause}
	mux := http.NewServeMux()
	mux.HandleFunc("/item", l.item)
	log.Fatal(http.ListenAndServe(os.Getenv("LISTEN_ADDR"), mux))
}
