// Command sortplant sends parcels down chutes; a new sorting plan comes with a new crew of sorters.
package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"time"

	"example.org/meridian/gangway"
)

func main() {
	svc := gangway.New(gangway.Options{Name: "sortplant", RouteLimit: 5 * time.Second})
	plant := newPlant(svc.Context(), 40)
	belts, err := newBelts(16)
	if err != nil {
		log.Fatal(err)
	}
	svc.HandleFunc("/parcels/", func(w http.ResponseWriter, r *http.Request) {
		chute, err := plant.sort(r.Context(), strings.TrimPrefix(r.URL.Path, "/parcels/"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintf(w, "chute %d\n", chute)
	})
	svc.HandleFunc("/plan", func(w http.ResponseWriter, r *http.Request) {
		name, err := io.ReadAll(io.LimitReader(r.Body, 100))
		if err != nil || r.Method != http.MethodPost {
			http.Error(w, "POST the name of the plan", http.StatusBadRequest)
			return
		}
		plant.adopt(string(name))
		w.WriteHeader(http.StatusAccepted)
	})
	svc.HandleFunc("/belts", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, belts.running())
	})
	log.Println(svc.Run())
}
