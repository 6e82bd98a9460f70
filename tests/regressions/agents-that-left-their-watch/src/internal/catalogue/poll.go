// Package catalogue reads the revisions from the release catalogue.
package catalogue

import (
	"encoding/json"
	"log"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"git.vantarail.net/fleet/fleetcfg/internal/rollout"
)

var published = promauto.NewCounter(prometheus.CounterOpts{
	Name: "fleetcfg_revisions_published_total", Help: "Revisions taken over from the catalogue.",
})

type entry struct {
	Group    string            `json:"group"`
	Revision int64             `json:"revision"`
	Body     map[string]string `json:"body"`
}

// Poll never returns.
func Poll(url string, every time.Duration, b *rollout.Board) {
	c := &http.Client{Timeout: 5 * time.Second}
	for ; ; time.Sleep(every) {
		resp, err := c.Get(url)
		if err != nil {
			log.Print("catalogue: ", err)
			continue
		}
		var list []entry
		err = json.NewDecoder(resp.Body).Decode(&list)
		resp.Body.Close()
		if err != nil {
			log.Print("catalogue: ", err)
			continue
		}
		for _, e := range list {
			if b.Group(e.Group).Publish(rollout.Revision{Number: e.Revision, Body: e.Body}) {
				published.Inc()
			}
		}
	}
}
