// Command manifestd books parcels onto sailings and prints their labels.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"path"
	"time"

	"example.org/meridian/gangway"
)

var announce = flag.String("announce", "", "topic on which bookings are announced; nowhere when empty")

type server struct {
	book   *bookings
	labels *labelPress
	fonts  *fontCache
}

func main() {
	svc := gangway.New(gangway.Options{Name: "manifestd", AccessLog: true, RouteLimit: 5 * time.Second})
	addresses, err := gangway.StartNeighbour(http.HandlerFunc(addressPage), 16)
	if err != nil {
		log.Fatal(err)
	}
	s := &server{
		book:   newBookings(newAnnouncer(svc.Context(), *announce)),
		labels: newLabelPress(addresses),
		fonts:  newFontCache(80),
	}
	crew := gangway.NewCrew(18)
	go gangway.Every(svc.Context(), time.Second, func(context.Context) { crew.Do(s.book.balance) })

	svc.HandleFunc("/parcels", s.parcel)
	svc.HandleFunc("/labels/", s.label)
	log.Fatal(svc.Run())
}

func (s *server) parcel(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "POST only", http.StatusMethodNotAllowed)
		return
	}
	note, err := io.ReadAll(io.LimitReader(r.Body, 4<<10))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	b := s.book.add(string(note))
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, "parcel %d on sailing %d\n", b.id, b.sailing)
}

func (s *server) label(w http.ResponseWriter, r *http.Request) {
	parcel := path.Base(r.URL.Path)
	s.fonts.face(parcel)
	image, err := s.labels.press(r.Context(), parcel)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "image/x-portable-bitmap")
	w.Write(image)
}

func addressPage(w http.ResponseWriter, r *http.Request) {
	time.Sleep(8 * time.Millisecond)
	fmt.Fprintf(w, "Pier %s, Meridian\n", path.Base(r.URL.Path))
}
