// Package wrap holds the middleware that every route of a service goes through.
package wrap

import (
	"context"
	"log"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"time"

	"example.org/harborworks/harbor/metrics"
)

// Middleware puts one handler around another.
type Middleware func(http.Handler) http.Handler

// Chain returns the handler inside the middleware, the first one outermost.
func Chain(h http.Handler, chain ...Middleware) http.Handler {
	for i := len(chain) - 1; i >= 0; i-- {
		h = chain[i](h)
	}
	return h
}

type contextKey int

const (
	requestIDKey contextKey = iota
	identityKey
)

var lastRequest uint64

// Recover answers 500 when a handler panics.
func Recover() Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				if v := recover(); v != nil && v != http.ErrAbortHandler {
					log.Printf("panic serving %s: %v\n%s", r.URL.Path, v, debug.Stack())
					http.Error(w, "internal error", http.StatusInternalServerError)
				}
			}()
			next.ServeHTTP(w, r)
		})
	}
}

// RequestID gives every request a number that appears in its log line.
func RequestID() Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id := strconv.FormatUint(atomic.AddUint64(&lastRequest, 1), 10)
			w.Header().Set("X-Request-Id", id)
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey, id)))
		})
	}
}

// RequestIDOf returns the number of the request of this context.
func RequestIDOf(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey).(string)
	return id
}

// AccessLog counts the answers and logs the slow and the failed ones.
func AccessLog(reg *metrics.Registry, route string) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			begun := time.Now()
			rec := &recorder{ResponseWriter: w, code: http.StatusOK}
			next.ServeHTTP(rec, r)
			reg.Request(route, rec.code)
			if took := time.Since(begun); took > time.Second || rec.code >= http.StatusInternalServerError {
				log.Printf("req=%s %s %s %d %s", RequestIDOf(r.Context()), r.Method, r.URL.Path, rec.code, took)
			}
		})
	}
}

// Identity reads who is calling.
func Identity(fallback string) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			caller := r.Header.Get("X-Caller")
			if caller == "" {
				caller = fallback
			}
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), identityKey, caller)))
		})
	}
}

// CallerOf returns the caller of this context's request.
func CallerOf(ctx context.Context) string {
	caller, _ := ctx.Value(identityKey).(string)
	return caller
}

// Deadline bounds how long a handler may take.
func Deadline(limit time.Duration) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), limit)
			defer cancel()
			next.ServeHTTP(w, r.WithContext(ctx))
		})
	}
}

type recorder struct {
	http.ResponseWriter
	code int
}

func (r *recorder) WriteHeader(code int) {
	r.code = code
	r.ResponseWriter.WriteHeader(code)
}

func (r *recorder) Flush() {
	if f, ok := r.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}
