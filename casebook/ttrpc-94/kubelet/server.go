package main

import (
	"encoding/json"
	"log"
	"net/http"
	"net/http/httputil"
	"net/http/pprof"
	"net/url"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.com/edgeworks/node/kubelet/remote"
	"example.com/edgeworks/node/kubelet/stats"
)

type server struct {
	runtime *remote.RuntimeService
	stats   *stats.Provider
}

// handler serves the API server and operators, on the port with client
// certificates.
func (s *server) handler() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("/healthz", healthz)
	m.HandleFunc("/stats/summary", counted("stats/summary", s.summary))
	m.HandleFunc("/exec/", counted("exec", s.exec))
	m.Handle("/metrics", promhttp.Handler())
	m.HandleFunc("/debug/pprof/", pprof.Index)
	m.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	m.HandleFunc("/debug/pprof/profile", pprof.Profile)
	m.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	m.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return m
}

// readOnlyHandler serves scrapers on the node.
func (s *server) readOnlyHandler() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("/healthz", healthz)
	m.HandleFunc("/stats/summary", counted("stats/summary", s.summary))
	return m
}

func healthz(w http.ResponseWriter, r *http.Request) {
	w.Write([]byte("ok"))
}

type summary struct {
	Node string           `json:"nodeName"`
	At   time.Time        `json:"time"`
	Pods []stats.PodStats `json:"pods"`
}

func (s *server) summary(w http.ResponseWriter, r *http.Request) {
	pods, err := s.stats.ListPodStats()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(summary{Node: "edge-07", At: time.Now(), Pods: pods}); err != nil {
		log.Printf("unable to write summary: %v", err)
	}
}

// exec proxies /exec/{namespace}/{pod}/{container}?command=... to the
// runtime's streaming server.
func (s *server) exec(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/exec/"), "/")
	if len(parts) != 3 {
		http.NotFound(w, r)
		return
	}
	id, err := s.containerID(parts[0], parts[1], parts[2])
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if id == "" {
		http.Error(w, "container not found", http.StatusNotFound)
		return
	}
	streamURL, err := s.runtime.Exec(id, r.URL.Query()["command"])
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	target, err := url.Parse(streamURL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	proxy := &httputil.ReverseProxy{
		Director:      func(req *http.Request) { req.URL, req.Host = target, target.Host },
		FlushInterval: -1,
	}
	proxy.ServeHTTP(w, r)
}

func (s *server) containerID(namespace, pod, container string) (string, error) {
	containers, err := s.runtime.ListContainers()
	if err != nil {
		return "", err
	}
	for _, c := range containers {
		if c.Metadata.Name == container && c.Labels["io.kubernetes.pod.name"] == pod &&
			c.Labels["io.kubernetes.pod.namespace"] == namespace {
			return c.Id, nil
		}
	}
	return "", nil
}
