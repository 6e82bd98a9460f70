package main

import (
	"net/http"
	"strings"
	"time"

	"example.org/harborworks/harbor"
	"example.org/harborworks/harbor/wrap"
)

func main() {
	svc := harbor.New("presence")
	rooms := openRooms(32)
	registry := newRegistry(rooms)

	svc.Background(registry.sweep)
	svc.Metrics.Gauge("presence_people", func() float64 { return float64(registry.present()) })
	svc.Route("/enter/", func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/enter/")
		registry.enter(name, 3*time.Second)
		w.WriteHeader(http.StatusCreated)
	}, wrap.Deadline(time.Second))
	svc.Route("/rooms/", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(rooms.of(r.URL.Path).title()))
	})
	svc.Main()
}
