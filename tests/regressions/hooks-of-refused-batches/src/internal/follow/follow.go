// Package follow reads growing files.
package follow

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

var linesRead = promauto.NewCounterVec(prometheus.CounterOpts{
	Name: "logship_lines_total", Help: "Lines read per container.",
}, []string{"container"})

// Sink takes lines.
type Sink interface {
	Line(p []byte)
	Tick()
}

type file struct {
	f    *os.File
	r    *bufio.Reader
	sink Sink
	read prometheus.Counter
}

func (f *file) drain() {
	for {
		line, err := f.r.ReadSlice('\n')
		if len(line) > 0 && err == nil {
			f.sink.Line(line)
			f.read.Inc()
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				slog.Warn("read", "file", f.f.Name(), "err", err)
			}
			f.sink.Tick()
			return
		}
	}
}

// Dir follows every file in dir until ctx ends.
func Dir(ctx context.Context, dir string, open func(name string) Sink) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.Add(dir); err != nil {
		return err
	}
	files := map[string]*file{}
	defer func() {
		for _, f := range files {
			f.f.Close()
		}
	}()
	for {
		select {
		case ev := <-w.Events:
			if !ev.Has(fsnotify.Create) && !ev.Has(fsnotify.Write) {
				continue
			}
			f, ok := files[ev.Name]
			if !ok {
				fd, err := os.Open(ev.Name)
				if err != nil {
					slog.Warn("open", "err", err)
					continue
				}
				name := filepath.Base(ev.Name)
				f = &file{f: fd, r: bufio.NewReaderSize(fd, 32<<10), sink: open(name), read: linesRead.WithLabelValues(name)}
				files[ev.Name] = f
			}
			f.drain()
		case err := <-w.Errors:
			slog.Warn("watch", "err", err)
		case <-ctx.Done():
			return nil
		}
	}
}
