package main

import (
	"encoding/json"
	"net/http"
	"strings"

	"example.org/harborworks/harbor/wrap"
)

type handlers struct {
	desk *desk
}

// submit takes /payments/<class>/<reference>; the class is small or large.
func (h *handlers) submit(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/payments/"), "/")
	if r.Method != http.MethodPost || len(parts) != 2 {
		http.Error(w, "POST /payments/<class>/<reference>", http.StatusBadRequest)
		return
	}
	p := payment{ref: parts[1], large: parts[0] == "large", payer: wrap.CallerOf(r.Context())}
	h.desk.submit(p)
	w.WriteHeader(http.StatusAccepted)
	_ = json.NewEncoder(w).Encode(map[string]string{"reference": p.ref, "status": "pending"})
}

func (h *handlers) approve(w http.ResponseWriter, r *http.Request) {
	ref := strings.TrimPrefix(r.URL.Path, "/approvals/")
	if !h.desk.decide(ref, decision{approved: true, by: wrap.CallerOf(r.Context())}) {
		http.Error(w, "no such payment is pending", http.StatusNotFound)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
