// Command nightimport takes the day's bookings in as one batch and answers questions about the totals.
package main

import (
	"fmt"
	"log"
	"net/http"
	"strconv"
	"time"

	"example.org/meridian/gangway"
)

func main() {
	svc := gangway.New(gangway.Options{Name: "nightimport", AccessLog: true, RouteLimit: 10 * time.Second})
	imp := newImporter(svc.Context(), 3)
	sums, err := gangway.StartNeighbour(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, imp.total())
	}), 8)
	if err != nil {
		log.Fatal(err)
	}
	svc.HandleFunc("/imports", func(w http.ResponseWriter, r *http.Request) {
		mb, err := strconv.Atoi(r.URL.Query().Get("mb"))
		if err != nil || r.Method != http.MethodPost || mb < 1 || mb > 100 {
			http.Error(w, "POST ?mb=1..100", http.StatusBadRequest)
			return
		}
		imp.submit(mb)
		w.WriteHeader(http.StatusAccepted)
	})
	svc.HandleFunc("/totals/", func(w http.ResponseWriter, r *http.Request) {
		body, err := sums.Get(r.Context(), r.URL.Path)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		w.Write(body)
	})
	log.Fatal(svc.Run())
}
