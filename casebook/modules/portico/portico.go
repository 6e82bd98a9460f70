// Package portico is the front door of a service: routes, interceptors, traces, profiles and metrics.
package portico

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"example.org/quarry/portico/gauge"
	"example.org/quarry/portico/spans"
)

// Door serves endpoints.
type Door struct {
	service      string
	routes       map[string][]route
	interceptors []Step
	Gauges       *gauge.Board
	exporter     *spans.Exporter
}

type route struct {
	method, prefix string
	endpoint       Step
}

// Open returns a door with the usual interceptors.
func Open(service string) *Door {
	d := &Door{
		service:  service,
		routes:   map[string][]route{},
		Gauges:   gauge.NewBoard(),
		exporter: spans.NewExporter(service),
	}
	d.interceptors = []Step{guard, d.trace, d.account}
	return d
}

// Intercept adds a step before the endpoints.
func (d *Door) Intercept(s Step) { d.interceptors = append(d.interceptors, s) }

// On registers an endpoint for a method and a path prefix; what follows the prefix is the call's Tail.
func (d *Door) On(method, prefix string, endpoint Step) {
	first := firstSegment(prefix)
	d.routes[first] = append(d.routes[first], route{method, prefix, endpoint})
}

// ServeHTTP finds the route and walks the steps.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, rt := range d.routes[firstSegment(r.URL.Path)] {
		if rt.method != r.Method || !strings.HasPrefix(r.URL.Path, rt.prefix) {
			continue
		}
		c := &Call{
			Ctx: r.Context(), W: w, R: r, Tail: strings.Trim(r.URL.Path[len(rt.prefix):], "/"), status: http.StatusOK,
			steps: append(append(make([]Step, 0, len(d.interceptors)+1), d.interceptors...), rt.endpoint),
		}
		if err := c.Next(); err != nil {
			http.Error(w, err.Error(), statusOf(err))
		}
		return
	}
	http.NotFound(w, r)
}

// Keep serves on addr until the process is told to end.
func (d *Door) Keep(addr string) {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.Handle("/metrics", d.Gauges)
	mux.Handle("/", d)

	ln, err := net.Listen("tcp", addr)
	if err != nil {
		log.Fatal(err)
	}
	go d.exporter.Loop()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, os.Interrupt)
	go func() {
		log.Printf("%s stops: %v", d.service, <-stop)
		os.Exit(0)
	}()
	log.Printf("%s listens on %s", d.service, ln.Addr())
	srv := http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 10 * time.Minute, ConnContext: tune}
	log.Fatal(srv.Serve(ln))
}

func guard(c *Call) (err error) {
	defer func() {
		if p := recover(); p != nil {
			log.Printf("%s %s: %v\n%s", c.R.Method, c.R.URL.Path, p, debug.Stack())
			err = fmt.Errorf("internal error")
		}
	}()
	return c.Next()
}

func (d *Door) trace(c *Call) error {
	span := d.exporter.Start(c.R.Method + " " + c.R.URL.Path)
	c.Ctx = spans.With(c.Ctx, span)
	defer span.End()
	return c.Next()
}

func (d *Door) account(c *Call) error {
	err := c.Next()
	status := c.status
	if err != nil {
		status = statusOf(err)
	}
	d.Gauges.Answered(firstSegment(c.R.URL.Path), status)
	return err
}

// Within bounds the context of every call.
func Within(limit time.Duration) Step {
	return func(c *Call) error {
		ctx, cancel := context.WithTimeout(c.Ctx, limit)
		defer cancel()
		c.Ctx = ctx
		return c.Next()
	}
}

func firstSegment(path string) string {
	path = strings.TrimPrefix(path, "/")
	if i := strings.IndexByte(path, '/'); i >= 0 {
		path = path[:i]
	}
	return "/" + path
}
