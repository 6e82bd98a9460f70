// Package gate is the depot's door to the web.
package gate

import (
	"net/http"
	"net/http/httptest"
	"sync"
)

var (
	once   sync.Once
	server *httptest.Server
)

// Server returns the one server of this process; it is started when it is first needed, and runs on.
func Server() *httptest.Server {
	once.Do(func() {
		server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Write([]byte("open"))
		}))
	})
	return server
}
