package main

import (
	"net/http"
	"time"
)

// limiter has a bucket of tokens for each caller's class, each filled by a goroutine of its own.
type limiter struct {
	buckets []chan struct{}
}

func newLimiter(classes int) *limiter {
	l := &limiter{}
	for i := 0; i < classes; i++ {
		b := make(chan struct{}, 20)
		l.buckets = append(l.buckets, b)
		go refill(b, time.Duration(200+i)*time.Millisecond)
	}
	return l
}

func refill(bucket chan<- struct{}, every time.Duration) {
	for {
		select {
		case bucket <- struct{}{}:
		case <-time.After(every):
		}
		time.Sleep(every)
	}
}

func (l *limiter) limit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-l.buckets[len(r.URL.Path)%len(l.buckets)]:
		default:
			w.Header().Set("X-Throttled", "yes")
		}
		next.ServeHTTP(w, r)
	})
}
