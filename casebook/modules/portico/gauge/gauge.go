// Package gauge shows counters and gauges as Prometheus text.
package gauge

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"sort"
	"sync"
	"time"
)

var began = time.Now()

// Board is what /metrics shows.
type Board struct {
	lock     sync.Mutex
	answered map[string]int
	values   map[string]func() float64
}

// NewBoard returns an empty board.
func NewBoard() *Board {
	return &Board{answered: make(map[string]int), values: make(map[string]func() float64)}
}

// Answered counts one request.
func (b *Board) Answered(path string, status int) {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.answered[fmt.Sprintf(`http_requests_total{path="%s",code="%d"}`, path, status)]++
}

// Show adds a gauge that is read at each scrape.
func (b *Board) Show(name string, read func() float64) {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.values[name] = read
}

func (b *Board) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	var out bytes.Buffer
	b.process(&out)
	b.own(&out)
	_, _ = out.WriteTo(w)
}

func (b *Board) process(out io.Writer) {
	ms := new(runtime.MemStats)
	runtime.ReadMemStats(ms)
	rows := []struct {
		name  string
		value float64
	}{
		{"go_goroutines", float64(runtime.NumGoroutine())},
		{"go_gc_duration_seconds_count", float64(ms.NumGC)},
		{"go_memstats_alloc_bytes", float64(ms.Alloc)},
		{"go_memstats_heap_alloc_bytes", float64(ms.HeapAlloc)},
		{"go_memstats_heap_inuse_bytes", float64(ms.HeapInuse)},
		{"go_memstats_heap_idle_bytes", float64(ms.HeapIdle)},
		{"go_memstats_heap_released_bytes", float64(ms.HeapReleased)},
		{"go_memstats_heap_sys_bytes", float64(ms.HeapSys)},
		{"go_memstats_stack_inuse_bytes", float64(ms.StackInuse)},
		{"go_memstats_sys_bytes", float64(ms.Sys)},
		{"go_memstats_next_gc_bytes", float64(ms.NextGC)},
		{"go_memstats_last_gc_time_seconds", float64(ms.LastGC) / 1e9},
		{"process_start_time_seconds", float64(began.UnixNano()) / 1e9},
		{"process_resident_memory_bytes", resident()},
	}
	for _, row := range rows {
		fmt.Fprintf(out, "%s %g\n", row.name, row.value)
	}
}

func (b *Board) own(out io.Writer) {
	b.lock.Lock()
	defer b.lock.Unlock()
	lines := make([]string, 0, len(b.answered)+len(b.values))
	for series, n := range b.answered {
		lines = append(lines, fmt.Sprintf("%s %d\n", series, n))
	}
	for name, read := range b.values {
		lines = append(lines, fmt.Sprintf("%s %g\n", name, read()))
	}
	sort.Strings(lines)
	for _, line := range lines {
		io.WriteString(out, line)
	}
}

func resident() float64 {
	f, err := os.Open("/proc/self/statm")
	if err != nil {
		return 0
	}
	defer f.Close()
	var size, pages int64
	if _, err := fmt.Fscan(f, &size, &pages); err != nil {
		return 0
	}
	return float64(pages * int64(os.Getpagesize()))
}
