// Package httpd is a thin router whose handlers return errors.
package httpd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	_ "net/http/pprof" // on the default mux
	"strings"
	"time"

	"example.org/tinlane/plumb/stats"
)

// Call is one request on its way through the steps.
type Call struct {
	W     http.ResponseWriter
	R     *http.Request
	Rest  string // what follows the route's prefix
	Trace string
	Stats *stats.Set

	status int
}

// Ctx returns the request's context.
func (c *Call) Ctx() context.Context { return c.R.Context() }

// JSON answers with a document.
func (c *Call) JSON(code int, doc any) error {
	c.status = code
	c.W.Header().Set("Content-Type", "application/json")
	c.W.WriteHeader(code)
	return json.NewEncoder(c.W).Encode(doc)
}

// Text answers with a line.
func (c *Call) Text(code int, format string, args ...any) error {
	c.status = code
	c.W.WriteHeader(code)
	_, err := fmt.Fprintf(c.W, format+"\n", args...)
	return err
}

// Func handles a call.
type Func func(*Call) error

// Step is run around a Func.
type Step func(next Func) Func

// Problem is an error with a status.
type Problem struct {
	Code int
	Text string
}

func (p Problem) Error() string { return p.Text }

// App is a set of routes.
type App struct {
	name  string
	steps []Step
	stats *stats.Set
	opts  []func(*http.Server)
}

// Option changes an App.
type Option func(*App)

// WithStep appends a step that all routes share.
func WithStep(step Step) Option {
	return func(a *App) { a.steps = append(a.steps, step) }
}

// WithServer changes the server before it starts.
func WithServer(change func(*http.Server)) Option {
	return func(a *App) { a.opts = append(a.opts, change) }
}

// New returns an App.
func New(name string, opts ...Option) *App {
	a := &App{name: name, stats: new(stats.Set), steps: []Step{Traced, Guarded}}
	for _, opt := range opts {
		opt(a)
	}
	http.Handle("/metrics", a.stats.Handler())
	return a
}

// Stats returns the counters that /metrics shows.
func (a *App) Stats() *stats.Set { return a.stats }

// On serves all paths that begin with the prefix.
func (a *App) On(method, prefix string, f Func, steps ...Step) {
	all := append(append([]Step{a.counted(prefix)}, a.steps...), steps...)
	for i := len(all) - 1; i >= 0; i-- {
		f = all[i](f)
	}
	http.HandleFunc(prefix, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != method {
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		_ = f(&Call{W: w, R: r, Rest: strings.TrimPrefix(r.URL.Path, prefix), Stats: a.stats, status: http.StatusOK})
	})
}

// Serve listens and serves; it returns only with an error.
func (a *App) Serve(listen string) error {
	ln, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: http.DefaultServeMux, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 3 * time.Minute}
	for _, change := range a.opts {
		change(srv)
	}
	log.Printf("%s: serving on %s", a.name, ln.Addr())
	return srv.Serve(ln)
}

func (a *App) counted(prefix string) Step {
	return func(next Func) Func {
		return func(c *Call) error {
			err := next(c)
			var p Problem
			switch {
			case err == nil:
			case errors.As(err, &p):
				c.status = p.Code
				http.Error(c.W, p.Text, p.Code)
			case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
				c.status = http.StatusGatewayTimeout
				http.Error(c.W, err.Error(), c.status)
			default:
				c.status = http.StatusInternalServerError
				http.Error(c.W, err.Error(), c.status)
			}
			a.stats.Add(fmt.Sprintf("http_requests_total{path=%q,code=\"%d\"}", prefix, c.status), 1)
			return err
		}
	}
}

// Traced gives the call a trace id.
func Traced(next Func) Func {
	return func(c *Call) error {
		c.Trace = c.R.Header.Get("Traceparent")
		if c.Trace == "" {
			c.Trace = fmt.Sprintf("00-%016x", time.Now().UnixNano())
		}
		return next(c)
	}
}

// Guarded turns a panic into an error.
func Guarded(next Func) Func {
	return func(c *Call) (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("panic: %v", v)
				log.Printf("trace=%s %v", c.Trace, err)
			}
		}()
		return next(c)
	}
}

// Within bounds the time of a call.
func Within(limit time.Duration) Step {
	return func(next Func) Func {
		return func(c *Call) error {
			ctx, cancel := context.WithTimeout(c.Ctx(), limit)
			defer cancel()
			c.R = c.R.WithContext(ctx)
			return next(c)
		}
	}
}
