// Command tenantq queues messages, one queue for each tenant.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"strconv"
	"time"

	"example.org/halyard/lattice"
	"example.org/halyard/lattice/mid"
)

func main() {
	app := lattice.New("tenantq")
	broker := NewBroker(3)
	app.Use(mid.Tenant(func(string) bool { return true }), mid.Deadline(2*time.Second))
	app.Route("/publish/", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(io.LimitReader(r.Body, 32<<10))
		n, _ := strconv.Atoi(path.Base(r.URL.Path))
		broker.Publish(tenantOf(n), append(body, make([]byte, 4<<10)...))
		w.WriteHeader(http.StatusAccepted)
	})
	app.Route("/retire/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, broker.Retire(12))
	})
	app.Every("digest", 2*time.Second, func(context.Context) { broker.Digest() })
	app.Stats.Gauge("tenantq_tenants", broker.Tenants)
	app.Stats.Gauge("tenantq_delivered_total", broker.Delivered)
	app.Run()
}

// tenantOf spreads calls over the forty tenants of the region.
func tenantOf(n int) string { return fmt.Sprintf("tenant-%02d", (n*7)%40) }
