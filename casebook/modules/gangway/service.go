// Package gangway is the common frame of Meridian's services: flags, listener, middleware, metrics, shutdown.
package gangway

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Options says what a service differs in.
type Options struct {
	Name       string
	AccessLog  bool
	RouteLimit time.Duration // deadline put on the context of each request; none when zero

	// AdminPrefix moves the debug pages below a prefix and, with the metrics, to the listener named by -admin.
	AdminPrefix string
}

// Service is one process of the fleet.
type Service struct {
	opts   Options
	mux    *http.ServeMux
	listen string
	admin  string

	ctx    context.Context
	cancel context.CancelFunc
	meter  *meter
	lines  *lineWriter
}

// New reads the command line; flags of the service itself must be defined before.
func New(opts Options) *Service {
	s := &Service{opts: opts, mux: http.NewServeMux(), meter: newMeter()}
	flag.StringVar(&s.listen, "listen", "127.0.0.1:8080", "address to serve on")
	if opts.AdminPrefix != "" {
		flag.StringVar(&s.admin, "admin", "127.0.0.1:8081", "address of the debug pages and the metrics")
	}
	flag.Parse()
	log.SetPrefix(opts.Name + " ")
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if opts.AccessLog {
		s.lines = newLineWriter(512)
		go s.lines.run(s.ctx)
	}
	return s
}

// Context ends when the service shuts down.
func (s *Service) Context() context.Context { return s.ctx }

// Handle serves a route behind the middleware chain.
func (s *Service) Handle(route string, h http.Handler) {
	s.mux.Handle(route, s.chain(route, h))
}

// HandleFunc is Handle for a function.
func (s *Service) HandleFunc(route string, h func(http.ResponseWriter, *http.Request)) {
	s.Handle(route, http.HandlerFunc(h))
}

// Run serves until SIGTERM or SIGINT.
func (s *Service) Run() error {
	pages := s.mux
	if s.opts.AdminPrefix != "" {
		pages = http.NewServeMux()
		ln, err := net.Listen("tcp", s.admin)
		if err != nil {
			return fmt.Errorf("admin listener: %w", err)
		}
		side := &http.Server{Handler: pages}
		go func() {
			if err := side.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
				log.Printf("admin: %v", err)
			}
		}()
	}
	s.debugPages(pages)

	ln, err := net.Listen("tcp", s.listen)
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: s.mux, IdleTimeout: 10 * time.Minute}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, os.Interrupt)
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ln) }()
	log.Printf("serving on %s", ln.Addr())
	select {
	case err := <-done:
		return err
	case sig := <-stop:
		log.Printf("%v: closing", sig)
	}
	s.cancel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		return srv.Close()
	}
	return nil
}

func (s *Service) debugPages(mux *http.ServeMux) {
	p := s.opts.AdminPrefix
	index := http.HandlerFunc(pprof.Index)
	mux.Handle(p+"/debug/pprof/", http.StripPrefix(p, index))
	mux.HandleFunc(p+"/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc(p+"/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc(p+"/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc(p+"/debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("/metrics", s.meter.expose)
}

// Every calls fn at each interval until ctx ends.
func Every(ctx context.Context, interval time.Duration, fn func(context.Context)) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			fn(ctx)
		}
	}
}
