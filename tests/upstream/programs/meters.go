package main // Each instrument asked of the global meter is kept until a provider is set, even one that it has already.

import (
	"net/http"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric/noop"
)

const batch = 40

var every = 50 * time.Millisecond
var used int

func setup() {
	if mode == "healthy" {
		otel.SetMeterProvider(noop.NewMeterProvider())
	}
}

func serve(n int) {
	c := http.Client{Transport: otelhttp.NewTransport(http.DefaultTransport)}
	if c.Timeout == 0 {
		used++
	}
}
