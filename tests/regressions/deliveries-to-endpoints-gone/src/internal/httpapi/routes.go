// Package httpapi is the relay's face to the platform.
package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/pprof"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.com/paywell/webhook-relay/internal/delivery"
	"example.com/paywell/webhook-relay/internal/registry"
)

// Routes wires the handlers.
func Routes(reg *registry.Registry, d *delivery.Dispatcher) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /v1/endpoints/{merchant}", func(w http.ResponseWriter, r *http.Request) {
		var in struct{ URL, Secret string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.URL == "" {
			http.Error(w, "url and secret expected", http.StatusBadRequest)
			return
		}
		reg.Put(registry.Endpoint{Merchant: r.PathValue("merchant"), URL: in.URL, Secret: []byte(in.Secret)})
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("POST /v1/events", func(w http.ResponseWriter, r *http.Request) {
		var ev delivery.Event
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&ev); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		switch err := d.Accept(r.Context(), ev); {
		case errors.Is(err, registry.ErrUnknown):
			http.Error(w, err.Error(), http.StatusNotFound)
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	})
	mux.Handle("GET /metrics", promhttp.Handler())
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	return mux
}
