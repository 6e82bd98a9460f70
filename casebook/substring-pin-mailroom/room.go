package main

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/journal"
	"example.org/granaryworks/granary/lane"
	"example.org/granaryworks/granary/peer"
)

// Room sorts the mail.
type Room struct {
	relay   *peer.Peer
	seen    *Seen
	senders *Senders
	stamps  *journal.Journal
	sorters *lane.Lane
}

func (r *Room) collect(w http.ResponseWriter, req *http.Request) {
	raw, err := r.relay.Get(req.Context(), "/mail/"+chassis.Tail(req, "/collect/"), 1<<20)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	m, err := ParseMessage(raw)
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	if !r.seen.Add(m.ID) {
		http.Error(w, "duplicate", http.StatusConflict)
		return
	}
	r.senders.Note(m.From)
	words := 0
	r.sorters.Wait(func() { words = len(strings.Fields(m.Text)) })
	fmt.Fprintf(w, "%s: %d words\n", m.ID, words)
}

func (r *Room) listSenders(w http.ResponseWriter, req *http.Request) {
	for domain, n := range r.senders.Domains() {
		fmt.Fprintf(w, "%s %d\n", domain, n)
	}
}

// relayService stands in for the mail relay.
func relayService() http.Handler {
	line := strings.Repeat("Lorem ipsum dolor sit amet. ", 3) + "\r\n"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(40 * time.Millisecond)
		number := strings.TrimPrefix(r.URL.Path, "/mail/")
		fmt.Fprintf(w, "From: clerk-%s@branch%d.example.net\r\nMessage-Id: <%s.%d@relay>\r\nSubject: %s\r\n\r\n",
			number, hash(number)%160, number, time.Now().UnixNano(), number)
		for i := 0; i < 420; i++ {
			w.Write([]byte(line))
		}
	})
}

func hash(s string) int {
	sum := 7
	for _, c := range s {
		sum = sum*131%1000003 + int(c)
	}
	return sum
}
