// Package lattice runs small HTTP services: flags, routes, middleware, metrics, profiles and background tasks.
package lattice

import (
	"context"
	"errors"
	"flag"
	"log"
	"net"
	"net/http"
	"net/http/pprof"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"example.org/halyard/lattice/accesslog"
	"example.org/halyard/lattice/expo"
	"example.org/halyard/lattice/mid"
)

// Task is a background job of the service; it returns when its context ends.
type Task func(ctx context.Context)

// App is one service.
type App struct {
	Name   string
	Stats  *expo.Registry
	listen *string
	mux    *http.ServeMux
	access *accesslog.Writer
	chain  []mid.Func
	tasks  map[string]Task
}

// New prepares a service and registers its -listen flag.
func New(name string) *App {
	a := &App{
		Name:   name,
		Stats:  expo.NewRegistry(),
		listen: flag.String("listen", "127.0.0.1:8080", "address to serve on"),
		mux:    http.NewServeMux(),
		access: accesslog.New(256),
		tasks:  map[string]Task{},
	}
	a.chain = []mid.Func{
		mid.Recover(),
		mid.RequestID(name),
		mid.Observe(a.Stats, a.access),
	}
	return a
}

// Use appends middleware behind the standard chain.
func (a *App) Use(m ...mid.Func) { a.chain = append(a.chain, m...) }

// Route serves pattern through the middleware chain.
func (a *App) Route(pattern string, h http.HandlerFunc) {
	a.mux.Handle(pattern, mid.Chain(h, a.chain...))
}

// Every runs job at the given interval once the service has started.
func (a *App) Every(name string, interval time.Duration, job func(ctx context.Context)) {
	a.Background(name, func(ctx context.Context) {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				job(ctx)
			}
		}
	})
}

// Background runs task for as long as the service runs.
func (a *App) Background(name string, task Task) { a.tasks[name] = task }

// Run serves until the process is told to end.
func (a *App) Run() {
	if !flag.Parsed() {
		flag.Parse()
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()

	a.mux.Handle("/metrics", a.Stats)
	a.mux.HandleFunc("/debug/pprof/", pprof.Index)
	a.mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	a.mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	a.mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	a.mux.HandleFunc("/debug/pprof/trace", pprof.Trace)

	var running sync.WaitGroup
	for name := range a.tasks {
		task := a.tasks[name]
		running.Add(1)
		go func() {
			defer running.Done()
			task(ctx)
		}()
	}
	go a.access.Run(ctx)

	ln, err := net.Listen("tcp", *a.listen)
	if err != nil {
		log.Fatalf("%s: %v", a.Name, err)
	}
	srv := &http.Server{Handler: a.mux, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 10 * time.Minute}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	log.Printf("%s: serving on %s", a.Name, ln.Addr())

	select {
	case err := <-served:
		if !errors.Is(err, http.ErrServerClosed) {
			log.Fatalf("%s: %v", a.Name, err)
		}
	case <-ctx.Done():
		grace, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
		defer cancel()
		_ = srv.Shutdown(grace)
	}
}
