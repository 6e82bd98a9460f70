package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// A Listing is what the directory says of a tenant.
type Listing struct {
	ID     string
	Region string
	Weight int
}

// newDirectory stands in for the directory service.
func newDirectory() http.Handler {
	var all []Listing
	for i := 0; i < 44; i++ {
		all = append(all, Listing{ID: fmt.Sprintf("t%03d", i), Region: []string{"east", "west"}[i%2], Weight: 1 + i%3})
	}
	moved := map[string]bool{"t007": true, "t019": true, "t030": true}
	mux := http.NewServeMux()
	mux.HandleFunc("/tenants", func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(all)
	})
	mux.HandleFunc("/hello/", func(w http.ResponseWriter, r *http.Request) {
		if moved[strings.TrimPrefix(r.URL.Path, "/hello/")] {
			http.Error(w, "back end did not answer", http.StatusBadGateway)
			return
		}
		w.Write([]byte(`{"ok":true}`))
	})
	mux.HandleFunc("/backend/", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(120 * time.Millisecond)
		w.Write([]byte(strings.Repeat("0123456789abcdef", 4096)))
	})
	return mux
}
