package main

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

var httpRequests = promauto.NewCounterVec(prometheus.CounterOpts{
	Name: "kubelet_http_requests_total",
	Help: "Number of the http requests received since the server started",
}, []string{"method", "path"})

// counted counts a request when it arrives.
func counted(path string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		httpRequests.WithLabelValues(r.Method, path).Inc()
		next(w, r)
	}
}
