// dropzone takes files over data ports that are opened one per transfer, as FTP does in passive mode.
package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"example.org/harborworks/harbor"
	"example.org/harborworks/harbor/wrap"
)

func main() {
	svc := harbor.New("dropzone")
	zone := newZone(1500 * time.Millisecond)
	vault := openVault(18)
	zone.store = vault.put

	couriers := newCouriers(3)
	svc.Background(vault.verify)
	svc.Metrics.Gauge("dropzone_transfers", func() float64 { return float64(zone.count()) })
	svc.Route("/transfers/", func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/transfers/")
		t, err := zone.open(name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		// Files of our own depots are fetched by couriers; others are brought by the client.
		if strings.HasPrefix(name, "depot/") {
			couriers.send(t.addr())
		}
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(map[string]string{"name": t.name, "data": t.addr()})
	}, wrap.Deadline(time.Second))
	svc.Main()
}
