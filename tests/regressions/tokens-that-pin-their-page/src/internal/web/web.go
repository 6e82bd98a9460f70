// Package web takes the uploads.
package web

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"strconv"

	"example.com/bazaar/catalogue-intake/internal/cursor"
	"example.com/bazaar/catalogue-intake/internal/feed"
)

const maxPage = 4 << 20

// Intake serves merchants and the shop front.
type Intake struct {
	Catalogue *feed.Catalogue
	Cursors   *cursor.Table
}

// Routes lists what is served.
func (in *Intake) Routes() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("POST /feeds/{merchant}/{page}", in.upload)
	m.HandleFunc("GET /feeds/{merchant}/{page}/resume", in.resume)
	m.HandleFunc("GET /prices/{merchant}/{sku}", in.price)
	m.HandleFunc("/debug/pprof/", pprof.Index)
	return m
}

func (in *Intake) upload(w http.ResponseWriter, r *http.Request) {
	page, err := strconv.Atoi(r.PathValue("page"))
	if err != nil {
		http.Error(w, "page number expected", http.StatusBadRequest)
		return
	}
	p, err := feed.Read(http.MaxBytesReader(w, r.Body, maxPage))
	if err != nil {
		slog.Info("page refused", "merchant", r.PathValue("merchant"), "err", err)
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	merchant := r.PathValue("merchant")
	changed := in.Catalogue.Apply(merchant, p)
	if !p.Full && p.Resume != "" {
		in.Cursors.Mark(merchant, page, p.Resume)
	}
	json.NewEncoder(w).Encode(map[string]int{"changed": changed, "offers": len(p.Offers)})
}

func (in *Intake) resume(w http.ResponseWriter, r *http.Request) {
	page, _ := strconv.Atoi(r.PathValue("page"))
	token, ok := in.Cursors.Token(r.PathValue("merchant"), page)
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Write([]byte(token))
}

func (in *Intake) price(w http.ResponseWriter, r *http.Request) {
	p, ok := in.Catalogue.Lookup(r.PathValue("merchant"), r.PathValue("sku"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	json.NewEncoder(w).Encode(p)
}
