package main

import (
	"encoding/json"
	"net/http"
	"net/http/pprof"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/klog"
)

// pageSize is how many objects are encoded and sent at a time.
const pageSize = 12

// api serves /api/v1 from the inventory.
type api struct {
	inventory *inventory
	line      *leasedLine
	lists     map[string]http.HandlerFunc
}

func newAPI(inventory *inventory, line *leasedLine) http.Handler {
	a := &api{inventory: inventory, line: line, lists: map[string]http.HandlerFunc{}}
	for _, resource := range inventory.resources() {
		a.lists[resource] = instrumented("LIST", resource, "namespace", a.list)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/v1/namespaces/", a.namespaced)
	mux.HandleFunc("/api/v1/nodes", instrumented("LIST", "nodes", "cluster", a.list))
	mux.HandleFunc("/api/v1/nodes/", instrumented("GET", "nodes", "resource", a.get))
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("ok")) })
	mux.Handle("/metrics", promhttp.Handler())
	mux.Handle("/debug/flags/line-delay", line)
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

func (a *api) namespaced(w http.ResponseWriter, r *http.Request) {
	info, ok := request.RequestInfoFrom(r.Context())
	if !ok || info.Verb != "list" || a.lists[info.Resource] == nil {
		http.NotFound(w, r)
		return
	}
	a.lists[info.Resource](w, r)
}

// list answers with all objects of a resource, page by page, as they are encoded.
func (a *api) list(w http.ResponseWriter, r *http.Request) {
	info, _ := request.RequestInfoFrom(r.Context())
	w.Header().Set("Content-Type", "application/json")
	page := []byte(`{"kind":"List","apiVersion":"v1","items":[`)
	for at, object := range a.inventory.all(info.Resource, info.Namespace) {
		encoded, err := json.Marshal(object)
		if err != nil {
			klog.Errorf("encoding %s/%s: %v", info.Resource, object.Metadata.Name, err)
			return
		}
		if at > 0 {
			page = append(page, ',')
		}
		page = append(page, encoded...)
		if (at+1)%pageSize == 0 {
			if !a.send(w, r, page) {
				return
			}
			page = page[:0]
		}
	}
	a.send(w, r, append(page, "]}\n"...))
}

// send tells whether the client can still be answered.
func (a *api) send(w http.ResponseWriter, r *http.Request, page []byte) bool {
	a.line.carry(r.RemoteAddr)
	if _, err := w.Write(page); err != nil {
		return false
	}
	if flusher, ok := w.(http.Flusher); ok {
		flusher.Flush()
	}
	return true
}

func (a *api) get(w http.ResponseWriter, r *http.Request) {
	info, _ := request.RequestInfoFrom(r.Context())
	object, ok := a.inventory.one(info.Resource, info.Name)
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(object); err != nil {
		klog.V(2).Infof("answering %s: %v", r.RemoteAddr, err)
	}
}
