// Package serve has what every service of this module begins with: its port and its pprof.
package serve

import (
	"flag"
	"log"
	"net/http"
	_ "net/http/pprof"
)

// Run serves what was registered until the process is ended.
func Run() {
	listen := flag.String("listen", "127.0.0.1:8080", "address of the service and of its pprof")
	flag.Parse()
	log.Fatal(http.ListenAndServe(*listen, nil))
}
