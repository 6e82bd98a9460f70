// Command labelpress prints labels on the one printer of a packing line.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"path"
	"time"

	"example.org/halyard/lattice"
	"example.org/halyard/lattice/mid"
)

func main() {
	app := lattice.New("labelpress")
	addr, err := startPrinter(450 * time.Millisecond)
	if err != nil {
		log.Fatal(err)
	}
	press, err := Connect(addr)
	if err != nil {
		log.Fatal(err)
	}
	previews := NewPreviews(36)

	app.Use(mid.Tenant(func(string) bool { return true }))
	app.Route("/print/", func(w http.ResponseWriter, r *http.Request) {
		reply, err := press.Print(path.Base(r.URL.Path))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		fmt.Fprintln(w, reply)
	})
	app.Route("/preview/", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(previews.Get(path.Base(r.URL.Path)))
	})
	app.Every("ribbon", 2*time.Second, func(context.Context) { press.ribbon(256 << 10) })
	app.Stats.Gauge("labelpress_printed", press.Printed)
	app.Run()
}
