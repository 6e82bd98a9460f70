// Package chassis is what every service of the granary family starts from: one listener, a chain of
// filters in front of the routes, and the operator's endpoints beside them.
package chassis

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"example.org/granaryworks/granary/meter"
)

// A Filter wraps a handler with something that every request passes.
type Filter func(http.Handler) http.Handler

// An App is one service.
type App struct {
	Name  string
	Meter *meter.Registry

	routes  *http.ServeMux
	filters []Filter
	started []func(context.Context)
}

// New returns an App with the given filters, outermost first.
func New(name string, filters ...Filter) *App {
	return &App{Name: name, Meter: meter.NewRegistry(), routes: http.NewServeMux(), filters: filters}
}

// Route answers requests below prefix whose method is in methods ("GET" or "GET,POST").
func (a *App) Route(methods, prefix string, h http.HandlerFunc) {
	a.routes.Handle(prefix, &route{app: a, methods: strings.Split(methods, ","), prefix: prefix, next: h})
}

// Background runs f in a goroutine of its own from Serve until shutdown.
func (a *App) Background(f func(context.Context)) {
	a.started = append(a.started, f)
}

// Serve blocks until the listener fails or a signal asks for the end.
func (a *App) Serve(address string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	var edge http.Handler = a.routes
	for i := len(a.filters) - 1; i >= 0; i-- {
		edge = a.filters[i](edge)
	}
	top := http.NewServeMux()
	top.HandleFunc("/debug/pprof/", pprof.Index)
	top.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	top.HandleFunc("/debug/pprof/profile", pprof.Profile)
	top.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	top.HandleFunc("/debug/pprof/trace", pprof.Trace)
	top.Handle("/metrics", a.Meter)
	top.Handle("/", edge)

	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           top,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       5 * time.Minute,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	for _, f := range a.started {
		go f(ctx)
	}
	go func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		server.Shutdown(grace)
	}()
	log.Printf("%s: listening on %s", a.Name, listener.Addr())
	err = server.Serve(listener)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

type route struct {
	app     *App
	methods []string
	prefix  string
	next    http.Handler
}

func (r *route) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	for _, m := range r.methods {
		if m == req.Method {
			tally := &tally{ResponseWriter: w, code: http.StatusOK}
			r.next.ServeHTTP(tally, req)
			r.app.Meter.Request(r.prefix, tally.code)
			return
		}
	}
	w.Header().Set("Allow", strings.Join(r.methods, ", "))
	http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	r.app.Meter.Request(r.prefix, http.StatusMethodNotAllowed)
}

type tally struct {
	http.ResponseWriter
	code int
}

func (t *tally) WriteHeader(code int) {
	t.code = code
	t.ResponseWriter.WriteHeader(code)
}

func (t *tally) Flush() {
	if f, ok := t.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

// Tail is the part of the path behind prefix.
func Tail(r *http.Request, prefix string) string {
	return strings.TrimPrefix(r.URL.Path, prefix)
}
