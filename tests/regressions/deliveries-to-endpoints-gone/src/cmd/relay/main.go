package main

import (
	"net"
	"net/http"
	"os"
	"time"

	"github.com/rs/zerolog"

	"example.com/paywell/webhook-relay/internal/delivery"
	"example.com/paywell/webhook-relay/internal/httpapi"
	"example.com/paywell/webhook-relay/internal/registry"
)

func main() {
	log := zerolog.New(os.Stderr).Level(zerolog.InfoLevel).With().Timestamp().Logger()
	ln, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", os.Getenv("PORT")))
	if err != nil {
		log.Fatal().Err(err).Msg("listen")
	}
	reg := registry.New()
	srv := &http.Server{
		Handler:           httpapi.Routes(reg, delivery.NewDispatcher(reg, log)),
		ReadHeaderTimeout: 5 * time.Second,
	}
	log.Info().Str("addr", ln.Addr().String()).Msg("serving")
	if err := srv.Serve(ln); err != nil {
		log.Fatal().Err(err).Msg("serve")
	}
}
