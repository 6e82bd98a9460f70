// Package mid holds the HTTP middleware of lattice services.
package mid

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"example.org/halyard/lattice/accesslog"
	"example.org/halyard/lattice/expo"
)

// Func wraps a handler.
type Func func(http.Handler) http.Handler

// Chain wraps h so that the first of fs is the outermost.
func Chain(h http.Handler, fs ...Func) http.Handler {
	for i := len(fs) - 1; i >= 0; i-- {
		h = fs[i](h)
	}
	return h
}

// Recover turns a panic of the handler into a 500.
func Recover() Func {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				if p := recover(); p != nil && p != http.ErrAbortHandler {
					log.Printf("panic serving %s: %v\n%s", r.URL.Path, p, debug.Stack())
					w.WriteHeader(http.StatusInternalServerError)
				}
			}()
			next.ServeHTTP(w, r)
		})
	}
}

type requestIDKey struct{}

var requestSeq uint64

// RequestID gives each request an id, or keeps the caller's.
func RequestID(prefix string) Func {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id := r.Header.Get("X-Request-Id")
			if id == "" {
				id = fmt.Sprintf("%s-%08x", prefix, atomic.AddUint64(&requestSeq, 1))
			}
			w.Header().Set("X-Request-Id", id)
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id)))
		})
	}
}

// ID is the id of the request that ctx belongs to.
func ID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// Recorder remembers the status code and size of an answer.
type Recorder struct {
	http.ResponseWriter
	Code int
	Size int
}

// WriteHeader keeps the code and passes it on.
func (rec *Recorder) WriteHeader(code int) {
	rec.Code = code
	rec.ResponseWriter.WriteHeader(code)
}

// Write counts and passes on.
func (rec *Recorder) Write(b []byte) (int, error) {
	n, err := rec.ResponseWriter.Write(b)
	rec.Size += n
	return n, err
}

// Flush passes buffered data on to the client.
func (rec *Recorder) Flush() {
	if f, ok := rec.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

// Observe counts requests and writes the access log.
func Observe(stats *expo.Registry, access *accesslog.Writer) Func {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			began := time.Now()
			rec := &Recorder{ResponseWriter: w, Code: http.StatusOK}
			next.ServeHTTP(rec, r)
			stats.Request(route(r.URL.Path), rec.Code)
			access.Add(accesslog.Entry{
				At: began, Method: r.Method, Path: r.URL.Path, Code: rec.Code, Size: rec.Size,
				Took: time.Since(began), Request: ID(r.Context()),
			})
		})
	}
}

// Tenant refuses requests that name a tenant which is not on the list.
func Tenant(allowed func(tenant string) bool) Func {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if t := r.Header.Get("X-Tenant"); t != "" && !allowed(t) {
				http.Error(w, "unknown tenant", http.StatusForbidden)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// Deadline bounds the context of each request; what the handler does with it is the handler's business.
func Deadline(d time.Duration) Func {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), d)
			defer cancel()
			next.ServeHTTP(w, r.WithContext(ctx))
		})
	}
}

// route is the first segment of a path, so that the number of series stays small.
func route(path string) string {
	rest := strings.TrimPrefix(path, "/")
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		rest = rest[:i]
	}
	return "/" + rest
}
