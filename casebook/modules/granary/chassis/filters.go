package chassis

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

type key int

const (
	requestKey key = iota
	callerKey
	spanKey
)

// Recover turns a panic of a handler into a 500.
func Recover() Filter {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				if v := recover(); v != nil {
					log.Printf("panic in %s %s: %v\n%s", r.Method, r.URL.Path, v, debug.Stack())
					http.Error(w, "internal error", http.StatusInternalServerError)
				}
			}()
			next.ServeHTTP(w, r)
		})
	}
}

var sequence int64

// RequestID gives every request a number that RequestNumber returns.
func RequestID() Filter {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n := atomic.AddInt64(&sequence, 1)
			w.Header().Set("X-Request-Id", fmt.Sprintf("%08x", n))
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestKey, n)))
		})
	}
}

// RequestNumber is the number of the request, or 0 without the RequestID filter.
func RequestNumber(ctx context.Context) int64 {
	n, _ := ctx.Value(requestKey).(int64)
	return n
}

// AccessLog logs one in every requests, and each that took longer than slow.
func AccessLog(every int64, slow time.Duration) Filter {
	return func(next http.Handler) http.Handler {
		var seen int64
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			begin := time.Now()
			next.ServeHTTP(w, r)
			took := time.Since(begin)
			if atomic.AddInt64(&seen, 1)%every == 1 || took > slow {
				log.Printf("%s %s %s", r.Method, r.URL.Path, took.Round(time.Millisecond))
			}
		})
	}
}

// Caller names the caller of a request by its X-Api-Key header; callers without one are "public".
func Caller(names map[string]string) Filter {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			name := "public"
			if k := r.Header.Get("X-Api-Key"); k != "" {
				known, ok := names[k]
				if !ok {
					http.Error(w, "unknown key", http.StatusUnauthorized)
					return
				}
				name = known
			}
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey, name)))
		})
	}
}

// CallerName is the name that the Caller filter found.
func CallerName(ctx context.Context) string {
	name, _ := ctx.Value(callerKey).(string)
	return name
}

// A Span measures one request, for the tracer.
type Span struct {
	Path  string
	Begin time.Time
	Took  time.Duration
}

// A Tracer keeps the last spans of the service.
type Tracer struct {
	mu   sync.Mutex
	ring []Span
	next int
}

// NewTracer keeps n spans.
func NewTracer(n int) *Tracer {
	return &Tracer{ring: make([]Span, n)}
}

// Filter records a span per request.
func (t *Tracer) Filter(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		span := &Span{Path: r.URL.Path, Begin: time.Now()}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), spanKey, span)))
		span.Took = time.Since(span.Begin)
		t.mu.Lock()
		t.ring[t.next%len(t.ring)] = *span
		t.next++
		t.mu.Unlock()
	})
}

// Throttle lets perSecond requests pass, with the given burst; the rest is answered with 429.
func Throttle(perSecond, burst int) Filter {
	tokens := make(chan struct{}, burst)
	for i := 0; i < burst; i++ {
		tokens <- struct{}{}
	}
	go refill(tokens, time.Second/time.Duration(perSecond))
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-tokens:
				next.ServeHTTP(w, r)
			default:
				http.Error(w, "slow down", http.StatusTooManyRequests)
			}
		})
	}
}

func refill(tokens chan<- struct{}, each time.Duration) {
	for range time.Tick(each) {
		select {
		case tokens <- struct{}{}:
		default:
		}
	}
}
