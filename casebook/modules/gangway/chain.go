package gangway

import (
	"context"
	"encoding/hex"
	"log"
	"math/rand"
	"net"
	"net/http"
	"runtime/debug"
	"time"
)

type ctxKey int

const (
	keyRequestID ctxKey = iota
	keyCaller
)

// RequestID returns the id that the chain gave to a request.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(keyRequestID).(string)
	return id
}

// Caller returns the name under which the request was let in.
func Caller(ctx context.Context) string {
	name, _ := ctx.Value(keyCaller).(string)
	return name
}

func (s *Service) chain(route string, h http.Handler) http.Handler {
	if s.opts.RouteLimit > 0 {
		h = limit(s.opts.RouteLimit, h)
	}
	h = authenticate(h)
	h = s.observe(route, h)
	h = identify(h)
	return rescue(h)
}

func rescue(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil {
				if v == http.ErrAbortHandler {
					panic(v)
				}
				log.Printf("%s %s: %v\n%s", r.Method, r.URL.Path, v, debug.Stack())
				http.Error(w, "internal error", http.StatusInternalServerError)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

func identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("X-Request-Id")
		if id == "" {
			var raw [8]byte
			rand.Read(raw[:])
			id = hex.EncodeToString(raw[:])
		}
		w.Header().Set("X-Request-Id", id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), keyRequestID, id)))
	})
}

func (s *Service) observe(route string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		rec := &recorder{ResponseWriter: w, code: http.StatusOK}
		s.meter.enter()
		defer func() {
			s.meter.leave(route, rec.code)
			if s.lines != nil {
				s.lines.add(r.Method, r.URL.Path, rec.code, time.Since(began))
			}
		}()
		next.ServeHTTP(rec, r)
	})
}

func authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil || !net.ParseIP(host).IsLoopback() {
			http.Error(w, "not from here", http.StatusForbidden)
			return
		}
		name := r.Header.Get("X-Caller")
		if name == "" {
			name = "internal"
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), keyCaller, name)))
	})
}

func limit(d time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), d)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
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
