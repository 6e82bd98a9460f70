// Package telemetry serves pprof beside a service.
package telemetry

import (
	"log"
	"net/http"
	_ "net/http/pprof"
	"os"
)

// Serve answers on DEBUG_ADDR.
func Serve() {
	go func() { log.Fatal(http.ListenAndServe(os.Getenv("DEBUG_ADDR"), nil)) }()
}
