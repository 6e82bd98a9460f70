// Package server is the HTTP interface for the web page and for scripts.
package server

import (
	"encoding/json"
	"net/http"
	"net/http/pprof"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/sirupsen/logrus"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	v3 "example.com/nanhai/acp/pkg/apis/management/v3"
	"example.com/nanhai/acp/pkg/clustermanager"
)

// Server answers requests about clusters.
type Server struct {
	Clusters cache.GenericLister
	Manager  *clustermanager.Manager
}

// Handler returns the routes.
func (s *Server) Handler(registry *prometheus.Registry) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/ping", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("pong")) })
	mux.HandleFunc("/v3/clusters", s.list)
	mux.HandleFunc("/v3/clusters/", s.access)
	mux.HandleFunc("/v3/subscribe", s.subscribe)
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	return instrument(registry, audit(mux))
}

func instrument(registry *prometheus.Registry, next http.Handler) http.Handler {
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "http_requests_total", Help: "Requests by method and code.",
	}, []string{"method", "code"})
	registry.MustRegister(requests)
	return promhttp.InstrumentHandlerCounter(requests, next)
}

func audit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		next.ServeHTTP(w, r)
		if took := time.Since(began); took > 5*time.Second {
			logrus.Debugf("%s %s took %s", r.Method, r.URL.Path, took)
		}
	})
}

type clusterView struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Site   string `json:"site"`
	Active bool   `json:"active"`
}

func (s *Server) views() ([]clusterView, error) {
	objects, err := s.Clusters.List(labels.Everything())
	if err != nil {
		return nil, err
	}
	views := make([]clusterView, 0, len(objects))
	for _, obj := range objects {
		cluster, err := v3.FromObject(obj)
		if err != nil {
			return nil, err
		}
		_, active := s.Manager.AccessControl(cluster.UID)
		views = append(views, clusterView{cluster.Name, cluster.Spec.DisplayName, cluster.Spec.Site, active})
	}
	return views, nil
}

func (s *Server) list(w http.ResponseWriter, _ *http.Request) {
	views, err := s.views()
	if err != nil {
		reply(w, http.StatusInternalServerError, map[string]string{"message": err.Error()})
		return
	}
	reply(w, http.StatusOK, map[string]interface{}{"type": "collection", "data": views})
}

// access serves /v3/clusters/NAME/users/USER.
func (s *Server) access(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v3/clusters/"), "/")
	if len(parts) != 3 || parts[1] != "users" {
		http.NotFound(w, r)
		return
	}
	obj, err := s.Clusters.Get(parts[0])
	if err != nil {
		http.NotFound(w, r)
		return
	}
	cluster, err := v3.FromObject(obj)
	if err != nil {
		reply(w, http.StatusInternalServerError, map[string]string{"message": err.Error()})
		return
	}
	control, ok := s.Manager.AccessControl(cluster.UID)
	if !ok {
		reply(w, http.StatusServiceUnavailable, map[string]string{"code": "ClusterUnavailable", "message": "cluster is unavailable"})
		return
	}
	reply(w, http.StatusOK, map[string]interface{}{"user": parts[2], "roles": control.Roles(parts[2])})
}

// subscribe sends the list of clusters whenever it may have changed.
func (s *Server) subscribe(w http.ResponseWriter, r *http.Request) {
	flusher, ok := w.(http.Flusher)
	if !ok {
		http.Error(w, "streaming is not supported", http.StatusNotImplemented)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	poll := time.NewTicker(20 * time.Second)
	defer poll.Stop()
	out := json.NewEncoder(w)
	for {
		views, err := s.views()
		if err != nil {
			return
		}
		if err := out.Encode(views); err != nil {
			return
		}
		flusher.Flush()
		select {
		case <-poll.C:
		case <-r.Context().Done():
			return
		}
	}
}

func reply(w http.ResponseWriter, code int, v interface{}) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	if err := json.NewEncoder(w).Encode(v); err != nil {
		logrus.Warn(err)
	}
}
