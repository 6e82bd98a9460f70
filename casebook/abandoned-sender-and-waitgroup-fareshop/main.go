// Command fareshop answers fare searches and writes passenger manifests.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"time"

	"example.org/meridian/gangway"
)

type shop struct {
	fares   *fareDesk
	exports *exporter
	holds   *holdBook
}

func main() {
	svc := gangway.New(gangway.Options{Name: "fareshop", AccessLog: true, RouteLimit: 5 * time.Second})
	inventory, err := gangway.StartNeighbour(http.HandlerFunc(inventoryPage), 24)
	if err != nil {
		log.Fatal(err)
	}
	crew := gangway.NewCrew(24)
	s := &shop{
		fares:   newFareDesk(inventory),
		exports: newExporter(crew),
		holds:   newHoldBook(svc.Context()),
	}
	go gangway.Every(svc.Context(), 5*time.Second, s.fares.ageRates)

	svc.HandleFunc("/fares/", s.search)
	svc.HandleFunc("/manifests", s.export)
	if err := svc.Run(); err != nil {
		log.Fatal(err)
	}
}

func (s *shop) search(w http.ResponseWriter, r *http.Request) {
	route := strings.TrimPrefix(r.URL.Path, "/fares/")
	offers, err := s.fares.shop(r.Context(), route)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	if len(offers) > 0 {
		s.holds.place(route, offers[0])
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(offers)
}

func (s *shop) export(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "POST only", http.StatusMethodNotAllowed)
		return
	}
	name, err := io.ReadAll(io.LimitReader(r.Body, 256))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	job := s.exports.start(strings.TrimSpace(string(name)))
	w.WriteHeader(http.StatusAccepted)
	fmt.Fprintf(w, "manifest %d of %s\n", job.id, job.sailing)
}

func inventoryPage(w http.ResponseWriter, r *http.Request) {
	time.Sleep(20 * time.Millisecond)
	fmt.Fprintf(w, "{\"route\":%q,\"free\":42}\n", r.URL.Path)
}
