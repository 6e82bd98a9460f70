// Package stats exposes process and request counters as Prometheus text.
package stats

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var begun = time.Now()

// Set is a set of labelled counters.
type Set struct {
	counters sync.Map // string -> *atomic.Int64
}

// Add adds to the counter of this series, for example `http_requests_total{path="/",code="200"}`.
func (s *Set) Add(series string, delta int64) {
	v, ok := s.counters.Load(series)
	if !ok {
		v, _ = s.counters.LoadOrStore(series, new(atomic.Int64))
	}
	v.(*atomic.Int64).Add(delta)
}

// Handler answers scrapes.
func (s *Set) Handler() http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		var page bytes.Buffer
		writeProcess(&page)
		s.writeSeries(&page)
		_, _ = page.WriteTo(w)
	}
}

func (s *Set) writeSeries(w io.Writer) {
	var lines []string
	s.counters.Range(func(series, v any) bool {
		lines = append(lines, fmt.Sprintf("%s %d", series, v.(*atomic.Int64).Load()))
		return true
	})
	sort.Strings(lines)
	last := ""
	for _, line := range lines {
		family := line[:strings.IndexAny(line, "{ ")]
		if family != last {
			kind := "gauge"
			if strings.HasSuffix(family, "_total") {
				kind = "counter"
			}
			fmt.Fprintf(w, "# TYPE %s %s\n", family, kind)
			last = family
		}
		fmt.Fprintln(w, line)
	}
}

func writeProcess(w io.Writer) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	for _, row := range []struct {
		name  string
		value uint64
	}{
		{"go_goroutines", uint64(runtime.NumGoroutine())},
		{"go_memstats_heap_alloc_bytes", m.HeapAlloc},
		{"go_memstats_heap_inuse_bytes", m.HeapInuse},
		{"go_memstats_heap_idle_bytes", m.HeapIdle},
		{"go_memstats_heap_released_bytes", m.HeapReleased},
		{"go_memstats_heap_sys_bytes", m.HeapSys},
		{"go_memstats_stack_inuse_bytes", m.StackInuse},
		{"go_memstats_sys_bytes", m.Sys},
		{"go_memstats_next_gc_bytes", m.NextGC},
		{"process_resident_memory_bytes", rss()},
	} {
		fmt.Fprintf(w, "# TYPE %s gauge\n%s %d\n", row.name, row.name, row.value)
	}
	fmt.Fprintf(w, "# TYPE go_memstats_last_gc_time_seconds gauge\ngo_memstats_last_gc_time_seconds %.9f\n",
		float64(m.LastGC)/1e9)
	fmt.Fprintf(w, "# TYPE go_gc_duration_seconds summary\ngo_gc_duration_seconds_count %d\n", m.NumGC)
	fmt.Fprintf(w, "# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds %.3f\n",
		float64(begun.UnixMilli())/1e3)
}

func rss() uint64 {
	var size, resident uint64
	f, err := os.Open("/proc/self/statm")
	if err != nil {
		return 0
	}
	defer f.Close()
	if _, err := fmt.Fscan(f, &size, &resident); err != nil {
		return 0
	}
	return resident * uint64(os.Getpagesize())
}
