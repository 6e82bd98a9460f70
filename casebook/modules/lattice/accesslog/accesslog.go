// Package accesslog collects access records and packs them every few seconds.
package accesslog

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"sync/atomic"
	"time"
)

// Entry is one answered request.
type Entry struct {
	At      time.Time     `json:"at"`
	Method  string        `json:"method"`
	Path    string        `json:"path"`
	Code    int           `json:"code"`
	Size    int           `json:"size"`
	Took    time.Duration `json:"took"`
	Request string        `json:"request"`
}

// Writer packs entries in the background; entries are dropped rather than waited for.
type Writer struct {
	entries chan Entry
	packed  uint64
	dropped uint64
}

// New returns a writer that holds up to size entries between two packings.
func New(size int) *Writer { return &Writer{entries: make(chan Entry, size)} }

// Add hands an entry over without waiting.
func (w *Writer) Add(e Entry) {
	select {
	case w.entries <- e:
	default:
		atomic.AddUint64(&w.dropped, 1)
	}
}

// Run packs until ctx ends.
func (w *Writer) Run(ctx context.Context) {
	tick := time.NewTicker(2500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			w.pack()
		}
	}
}

func (w *Writer) pack() {
	var out bytes.Buffer
	gz := gzip.NewWriter(&out)
	enc := json.NewEncoder(gz)
	for {
		select {
		case e := <-w.entries:
			_ = enc.Encode(e)
			continue
		default:
		}
		break
	}
	_ = gz.Close()
	atomic.AddUint64(&w.packed, uint64(out.Len()))
}
