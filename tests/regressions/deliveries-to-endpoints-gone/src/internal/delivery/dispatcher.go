// Package delivery carries events to the merchants' endpoints.
package delivery

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/go-resty/resty/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/rs/zerolog"

	"example.com/paywell/webhook-relay/internal/registry"
)

var (
	attempts = promauto.NewCounterVec(prometheus.CounterOpts{
		Name: "relay_attempts_total", Help: "Delivery attempts by outcome.",
	}, []string{"outcome"})
	accepted = promauto.NewCounter(prometheus.CounterOpts{
		Name: "relay_events_accepted_total", Help: "Events accepted from the platform.",
	})
)

// Event is what the platform publishes.
type Event struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Merchant string          `json:"merchant"`
	Data     json.RawMessage `json:"data"`
}

// Dispatcher sends events, each at its own pace.
type Dispatcher struct {
	endpoints *registry.Registry
	client    *resty.Client
	log       zerolog.Logger
}

func NewDispatcher(reg *registry.Registry, log zerolog.Logger) *Dispatcher {
	c := resty.New().
		SetTimeout(4*time.Second).
		SetHeader("User-Agent", "paywell-relay/2").
		SetHeader("Content-Type", "application/json")
	return &Dispatcher{endpoints: reg, client: c, log: log}
}

// Accept takes an event for delivery and returns at once.
func (d *Dispatcher) Accept(ctx context.Context, ev Event) error {
	ep, err := d.endpoints.Lookup(ev.Merchant)
	if err != nil {
		return err
	}
	accepted.Inc()
	// The platform's request ends long before the merchant has answered.
	go d.deliver(context.WithoutCancel(ctx), ep, ev)
	return nil
}

func (d *Dispatcher) deliver(ctx context.Context, ep registry.Endpoint, ev Event) {
	body, err := json.Marshal(ev)
	if err != nil {
		d.log.Error().Err(err).Str("event", ev.ID).Msg("encode")
		return
	}
	policy := backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(400*time.Millisecond),
		backoff.WithMaxInterval(20*time.Second),
		backoff.WithMaxElapsedTime(0),
	)
	err = backoff.RetryNotify(func() error {
		return d.post(ctx, ep, body)
	}, backoff.WithContext(policy, ctx), func(err error, next time.Duration) {
		d.log.Debug().Err(err).Str("event", ev.ID).Dur("next", next).Msg("again later")
	})
	if err != nil {
		attempts.WithLabelValues("given_up").Inc()
		d.log.Warn().Err(err).Str("event", ev.ID).Msg("dropped")
	}
}

func (d *Dispatcher) post(ctx context.Context, ep registry.Endpoint, body []byte) error {
	resp, err := d.client.R().
		SetContext(ctx).
		SetHeader("Paywell-Signature", sign(ep.Secret, body, time.Now())).
		SetBody(body).
		Post(ep.URL)
	switch {
	case err != nil:
		attempts.WithLabelValues("transport").Inc()
		return err
	case resp.IsSuccess():
		attempts.WithLabelValues("delivered").Inc()
		return nil
	case resp.StatusCode() == 400:
		attempts.WithLabelValues("rejected").Inc()
		return backoff.Permanent(fmt.Errorf("endpoint rejects the payload"))
	}
	attempts.WithLabelValues("refused").Inc()
	return fmt.Errorf("endpoint answers %s", resp.Status())
}
