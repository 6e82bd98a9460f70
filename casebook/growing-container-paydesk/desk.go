package main

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/journal"
	"example.org/granaryworks/granary/peer"
)

// Desk takes payments.
type Desk struct {
	bank    *peer.Peer
	answers *Replay
	rates   *Rates
	book    *journal.Journal
	permits chan struct{}
}

func (d *Desk) pay(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	if key == "" {
		key = chassis.Tail(r, "/payments/")
	}
	if a, ok := d.answers.Lookup(key); ok {
		d.reply(w, a.status, a.body)
		return
	}
	d.permits <- struct{}{}
	defer func() { <-d.permits }()

	said, err := d.bank.Get(r.Context(), "/charge/"+key, 1<<20)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	receipt := d.receipt(key, said)
	d.answers.Remember(key, http.StatusCreated, receipt)
	d.book.Note("paid " + key)
	d.reply(w, http.StatusCreated, receipt)
}

func (d *Desk) receipt(key string, said []byte) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "receipt %s of %s\n", key, time.Now().Format(time.RFC3339))
	for i := 0; out.Len() < 14<<10; i++ {
		fmt.Fprintf(&out, "%4d %-40s %8.2f\n", i, strings.ToUpper(key), float64(len(said))/float64(i+1))
	}
	return out.Bytes()
}

func (d *Desk) reply(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "text/plain")
	w.WriteHeader(status)
	w.Write(body)
}

func (d *Desk) quote(w http.ResponseWriter, r *http.Request) {
	table := d.rates.Table(chassis.Tail(r, "/rates/"))
	fmt.Fprintf(w, "%d rates, first %f\n", len(table), table[0])
}

// bankService stands in for the bank.
func bankService() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(90 * time.Millisecond)
		w.Write(bytes.Repeat([]byte(r.URL.Path+" authorised\n"), 2000))
	})
}
