// Command beaconwatch asks the lights along the coast for their state and shows the answers.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"sort"
	"time"

	"example.org/meridian/gangway"
)

func main() {
	svc := gangway.New(gangway.Options{Name: "beaconwatch", AccessLog: true, RouteLimit: 5 * time.Second})
	coast, err := lightUp([]string{"cape-rowan", "skerry", "old-head", "west-spit", "ness"}, "ness")
	if err != nil {
		log.Fatal(err)
	}
	w := newWatch(coast)
	archive, err := gangway.StartNeighbour(http.HandlerFunc(archivePage), 30)
	if err != nil {
		log.Fatal(err)
	}
	links := newReceivers(svc.Context())
	go gangway.Every(svc.Context(), 3*time.Second, w.round)
	go gangway.Every(svc.Context(), 20*time.Second, w.forget)

	svc.HandleFunc("/beacons", w.page)
	svc.HandleFunc("/history/", func(rw http.ResponseWriter, r *http.Request) {
		body, err := archive.Get(r.Context(), r.URL.Path)
		if err != nil {
			http.Error(rw, err.Error(), http.StatusBadGateway)
			return
		}
		links.note(r.URL.Path)
		rw.Write(body)
	})
	if err := svc.Run(); err != nil {
		log.Fatal(err)
	}
}

func (w *watch) page(rw http.ResponseWriter, r *http.Request) {
	states := w.snapshot()
	names := make([]string, 0, len(states))
	for name := range states {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(rw, "%-12s %s (%s ago)\n", name, states[name].text, time.Since(states[name].at).Round(time.Second))
	}
}

func archivePage(w http.ResponseWriter, r *http.Request) {
	time.Sleep(120 * time.Millisecond)
	fmt.Fprintf(w, "%s: no outage in 90 days\n", r.URL.Path)
}

// receivers fold what was asked into daily figures, each in its own goroutine.
type receivers struct{ in []chan string }

func newReceivers(ctx context.Context) *receivers {
	r := &receivers{}
	for i := 0; i < 12; i++ {
		ch := make(chan string, 16)
		go fold(ctx, ch)
		r.in = append(r.in, ch)
	}
	return r
}

func (r *receivers) note(path string) {
	select {
	case r.in[len(path)%len(r.in)] <- path:
	default:
	}
}

func fold(ctx context.Context, in <-chan string) {
	day := make(map[string]int)
	for {
		select {
		case path := <-in:
			if len(day) > 100 {
				day = make(map[string]int)
			}
			day[path]++
		case <-ctx.Done():
			return
		}
	}
}
