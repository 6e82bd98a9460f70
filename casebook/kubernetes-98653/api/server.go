// Package api is the HTTP interface of the controller.
package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/pprof"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/klog"

	"example.com/foundry/cpc/pipeline"
)

// Server answers what CI asks of the controller.
type Server struct {
	Jobs   *pipeline.Ledger
	Feed   *pipeline.Feed
	Logs   *pipeline.Archive
	Runner *pipeline.Runner
	Leader func() (identity string, mine bool)

	requests *prometheus.CounterVec
	serial   uint64
}

// Handler returns the routes with their middleware.
func (s *Server) Handler(registry *prometheus.Registry) http.Handler {
	s.requests = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "http_requests_total", Help: "Requests by path and code.",
	}, []string{"path", "code"})
	registry.MustRegister(s.requests)

	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("/leader", s.leader)
	mux.HandleFunc("/events", s.events)
	mux.HandleFunc("/jobs", s.jobs)
	mux.HandleFunc("/jobs/", s.job)
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	return s.recovered(s.counted(mux))
}

func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	changes, cancel := s.Feed.Subscribe()
	defer cancel()
	w.Header().Set("Content-Type", "text/event-stream")
	flush(w)
	keepAlive := time.NewTicker(15 * time.Second)
	defer keepAlive.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-keepAlive.C:
			fmt.Fprint(w, ": keep-alive\n\n")
		case job := <-changes:
			raw, err := json.Marshal(job)
			if err != nil {
				klog.Warning(err)
				continue
			}
			fmt.Fprintf(w, "event: job\ndata: %s\n\n", raw)
		}
		flush(w)
	}
}

func flush(w http.ResponseWriter) {
	if sw, ok := w.(*statusWriter); ok {
		w = sw.ResponseWriter
	}
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

func (s *Server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil {
				klog.Errorf("%s %s: %v", r.Method, r.URL.Path, v)
				http.Error(w, "internal error", http.StatusInternalServerError)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

type statusWriter struct {
	http.ResponseWriter
	code int
}

func (w *statusWriter) WriteHeader(code int) {
	w.code = code
	w.ResponseWriter.WriteHeader(code)
}

func (s *Server) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sw := &statusWriter{ResponseWriter: w, code: http.StatusOK}
		next.ServeHTTP(sw, r)
		route := "/" + strings.SplitN(strings.TrimPrefix(r.URL.Path, "/"), "/", 2)[0]
		s.requests.WithLabelValues(route, strconv.Itoa(sw.code)).Inc()
	})
}

func (s *Server) leader(w http.ResponseWriter, _ *http.Request) {
	identity, mine := s.Leader()
	reply(w, http.StatusOK, map[string]interface{}{"leader": identity, "self": mine})
}

func (s *Server) jobs(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		reply(w, http.StatusOK, s.Jobs.List())
	case http.MethodPost:
		identity, mine := s.Leader()
		if !mine {
			reply(w, http.StatusConflict, map[string]string{"error": "not the leader", "leader": identity})
			return
		}
		job := pipeline.Job{Application: "storefront", Language: "go", Revision: "main"}
		if r.ContentLength != 0 {
			if err := json.NewDecoder(r.Body).Decode(&job); err != nil {
				reply(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
				return
			}
		}
		job.ID = fmt.Sprintf("build-%s-%05d", job.Application, atomic.AddUint64(&s.serial, 1))
		job.State = "Queued"
		s.Runner.Submit(job)
		reply(w, http.StatusAccepted, job)
	default:
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}

func (s *Server) job(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/jobs/"), "/")
	if len(parts) == 2 && parts[1] == "log" {
		packed, ok := s.Logs.Log(parts[0])
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write(packed)
		return
	}
	job, ok := s.Jobs.Get(parts[0])
	if !ok {
		http.NotFound(w, r)
		return
	}
	reply(w, http.StatusOK, job)
}

func reply(w http.ResponseWriter, code int, v interface{}) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	if err := json.NewEncoder(w).Encode(v); err != nil {
		klog.Warning(err)
	}
}

// Serve listens on addr.
func Serve(addr string, handler http.Handler) error {
	server := &http.Server{Addr: addr, Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	return server.ListenAndServe()
}
