// Package deliver posts batches to the collector.
package deliver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"git.brightquay.com/observability/logship/internal/batch"
	"git.brightquay.com/observability/logship/internal/spool"
)

var batches = promauto.NewCounterVec(prometheus.CounterOpts{
	Name: "logship_batches_total", Help: "Batches by outcome.",
}, []string{"outcome"})

var errRefused = errors.New("refused by the collector")

// Deliverer owns the connection to the collector.
type Deliverer struct {
	life  context.Context
	url   string
	spool *spool.Spool
	http  *retryablehttp.Client
	queue chan *batch.Batch
}

// New returns a deliverer that ends with life.
func New(life context.Context, url string, sp *spool.Spool) *Deliverer {
	c := retryablehttp.NewClient()
	c.RetryWaitMin, c.RetryWaitMax, c.RetryMax, c.Logger = 200*time.Millisecond, 2*time.Second, 4, nil
	c.HTTPClient.Timeout = 10 * time.Second
	return &Deliverer{life: life, url: url, spool: sp, http: c, queue: make(chan *batch.Batch, 8)}
}

// Queue is where batchers put their batches.
func (d *Deliverer) Queue() chan<- *batch.Batch { return d.queue }

// Run sends with n senders until life ends.
func (d *Deliverer) Run(n int) {
	for range n {
		go func() {
			for {
				select {
				case b := <-d.queue:
					d.ship(b)
				case <-d.life.Done():
					return
				}
			}
		}()
	}
}

// ship sends b; if the sidecar is told to stop before the collector has it, it goes to the spool.
func (d *Deliverer) ship(b *batch.Batch) {
	keep := context.AfterFunc(d.life, func() {
		if err := d.spool.Save(b.Container, b.Body); err != nil {
			slog.Error("spool", "err", err)
		}
	})
	err := d.post(b)
	switch {
	case err == nil:
		keep()
		batches.WithLabelValues("sent").Inc()
	case errors.Is(err, errRefused):
		batches.WithLabelValues("refused").Inc()
		slog.Debug("batch dropped", "container", b.Container, "lines", b.Lines, "err", err)
	default:
		keep()
		batches.WithLabelValues("spooled").Inc()
		if err := d.spool.Save(b.Container, b.Body); err != nil {
			slog.Error("spool", "err", err)
		}
	}
}

func (d *Deliverer) post(b *batch.Batch) error {
	req, err := retryablehttp.NewRequestWithContext(d.life, http.MethodPost, d.url, b.Body)
	if err != nil {
		return err
	}
	req.Header.Set("X-Container", b.Container)
	resp, err := d.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	if resp.StatusCode/100 == 4 {
		return fmt.Errorf("%w: %s", errRefused, resp.Status)
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("collector: %s", resp.Status)
	}
	return nil
}
