package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"path"

	"example.com/tidewater/freight/internal/desk"
	"example.org/harborworks/harbor/metrics"
)

type api struct {
	desk    *desk.Desk
	board   *rateBoard
	metrics *metrics.Registry
}

func (a *api) quote(lane string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		offer, err := a.desk.Quote(lane, path.Base(r.URL.Path))
		if errors.Is(err, desk.ErrTooSlow) {
			a.metrics.Inc("freight_quotes_timed_out_total")
			http.Error(w, err.Error(), http.StatusGatewayTimeout)
			return
		}
		a.board.note(lane, offer.Cents)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(offer)
	}
}

func (a *api) rates(w http.ResponseWriter, _ *http.Request) {
	_ = json.NewEncoder(w).Encode(a.board.snapshot())
}
