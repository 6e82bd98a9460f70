// Package harbor is the chassis of our HTTP services: one listener, one mux,
// one chain of middleware, metrics and profiles on the same port.
package harbor

import (
	"context"
	"errors"
	"flag"
	"log"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"example.org/harborworks/harbor/metrics"
	"example.org/harborworks/harbor/wrap"
)

// Service is one process.
type Service struct {
	Name    string
	Metrics *metrics.Registry

	mux   *http.ServeMux
	conns int64

	mu    sync.Mutex
	tasks []func(context.Context)
	hooks []func(net.Conn, http.ConnState)
}

// New returns a service with its debug routes.
func New(name string) *Service {
	s := &Service{Name: name, Metrics: metrics.NewRegistry(), mux: http.NewServeMux()}
	s.mux.HandleFunc("/debug/pprof/", pprof.Index)
	s.mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	s.mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	s.mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	s.mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	s.mux.Handle("/metrics", s.Metrics)
	s.Metrics.Gauge("http_server_open_connections", func() float64 {
		return float64(atomic.LoadInt64(&s.conns))
	})
	return s
}

// Route serves a pattern behind the usual middleware.
func (s *Service) Route(pattern string, h http.HandlerFunc, more ...wrap.Middleware) {
	chain := []wrap.Middleware{
		wrap.Recover(),
		wrap.RequestID(),
		wrap.AccessLog(s.Metrics, pattern),
		wrap.Identity("anonymous"),
	}
	s.mux.Handle(pattern, wrap.Chain(h, append(chain, more...)...))
}

// Background registers a task that runs until the service stops.
func (s *Service) Background(task func(context.Context)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks = append(s.tasks, task)
}

// OnConn registers a function that is told of every change of a client connection.
func (s *Service) OnConn(hook func(net.Conn, http.ConnState)) {
	s.hooks = append(s.hooks, hook)
}

// Main parses the flags and serves until a signal arrives.
func (s *Service) Main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to listen on")
	flag.Parse()
	log.SetPrefix(s.Name + ": ")
	if err := s.Run(*listen); err != nil {
		log.Fatal(err)
	}
}

// Run serves on the address until SIGTERM or SIGINT.
func (s *Service) Run(listen string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	ln, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           s.mux,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       10 * time.Minute,
		ConnState:         s.connState,
	}
	for _, task := range s.tasks {
		go task(ctx)
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(ln) }()
	log.Printf("listening on %s", ln.Addr())
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := server.Shutdown(grace); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

func (s *Service) connState(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		atomic.AddInt64(&s.conns, 1)
	case http.StateClosed, http.StateHijacked:
		atomic.AddInt64(&s.conns, -1)
	}
	for _, hook := range s.hooks {
		hook(conn, state)
	}
}
