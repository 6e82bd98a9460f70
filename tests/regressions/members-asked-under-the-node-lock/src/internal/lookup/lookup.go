// Package lookup is the HTTP face.
package lookup

import (
	"encoding/json"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"git.solvane.io/edge/ringd/internal/cluster"
)

var requests = promauto.NewCounterVec(prometheus.CounterOpts{
	Name: "ringd_requests_total", Help: "Requests answered.",
}, []string{"path"})

// Handler serves /v1/owner and /v1/members.
func Handler(c *cluster.Cluster) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/owner", func(w http.ResponseWriter, r *http.Request) {
		owner := c.Owner(r.URL.Query().Get("key"))
		requests.WithLabelValues("owner").Inc()
		if owner == "" {
			http.Error(w, "no nodes", http.StatusServiceUnavailable)
			return
		}
		json.NewEncoder(w).Encode(map[string]string{"owner": owner})
	})
	mux.HandleFunc("GET /v1/members", func(w http.ResponseWriter, r *http.Request) {
		names := []string{}
		for _, n := range c.Members() {
			names = append(names, n.Name)
		}
		requests.WithLabelValues("members").Inc()
		json.NewEncoder(w).Encode(names)
	})
	return mux
}
