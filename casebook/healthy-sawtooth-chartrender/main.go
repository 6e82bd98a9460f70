// Command chartrender draws sea charts, sheet by sheet.
package main

import (
	"fmt"
	"log"
	"net/http"
	"time"

	"example.org/meridian/gangway"
)

func main() {
	svc := gangway.New(gangway.Options{Name: "chartrender", AccessLog: true, RouteLimit: 5 * time.Second})
	depths, err := gangway.StartNeighbour(http.HandlerFunc(depthPage), 10)
	if err != nil {
		log.Fatal(err)
	}
	press := newPress(depths, 6)
	go press.index(svc.Context())

	svc.HandleFunc("/charts", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			id := press.order(32)
			w.WriteHeader(http.StatusAccepted)
			fmt.Fprintf(w, "chart %d\n", id)
			return
		}
		fmt.Fprintf(w, "%d charts drawn\n", press.drawn())
	})
	log.Fatal(svc.Run())
}

func depthPage(w http.ResponseWriter, r *http.Request) {
	time.Sleep(15 * time.Millisecond)
	fmt.Fprintln(w, "12 14 15 11 9 8 8 7")
}
