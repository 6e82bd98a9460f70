// tidestream sends water levels to whoever listens.
package main

import (
	"context"
	"time"

	"example.org/harborworks/harbor"
)

func main() {
	svc := harbor.New("tidestream")
	hub := newHub()
	gauges := openGauges(14)

	svc.Background(func(ctx context.Context) { gauges.read(ctx, 100*time.Second, hub.publish) })
	svc.Metrics.Gauge("tidestream_listeners", func() float64 { return float64(hub.listeners()) })
	svc.Route("/levels/stream", hub.stream)
	svc.Route("/levels", gauges.latest)
	svc.Main()
}
