package main

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"time"

	"example.org/meridian/gangway"
)

type desk struct {
	ledger *ledger
	rates  *gangway.Neighbour
}

func (d *desk) payout(w http.ResponseWriter, r *http.Request) {
	agent := path.Base(r.URL.Path)
	left, err := d.transfer(agent, 1250)
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	fmt.Fprintf(w, "%s has %d left\n", agent, left)
}

func (d *desk) transfer(agent string, cents int) (int, error) {
	return d.ledger.book(entry{agent: agent, cents: -cents, at: time.Now()})
}

func (d *desk) balance(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintln(w, d.ledger.sum(path.Base(r.URL.Path)))
}

func (d *desk) fees(w http.ResponseWriter, r *http.Request) {
	sheet, err := d.rates.Get(r.Context(), "/rates")
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Write(sheet)
}

// statements are written once a day, those of each region at another time.
func (d *desk) statements(ctx context.Context, region int) {
	t := time.NewTicker(24*time.Hour + time.Duration(region)*time.Minute)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			d.ledger.sum(fmt.Sprintf("region-%d", region))
		case <-ctx.Done():
			return
		}
	}
}
