package main

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"example.org/granaryworks/granary/journal"
)

// A Sheet is a rendered label, with a file in the spool until it is dropped.
type Sheet struct {
	number int64
	raster []byte
	file   *SpoolFile
}

// A Line renders one label per parcel.
type Line struct {
	every  time.Duration
	fonts  *Fonts
	spool  *Spool
	events *journal.Journal
	count  int64
}

func (l *Line) printed() float64 {
	return float64(atomic.LoadInt64(&l.count))
}

func (l *Line) run(ctx context.Context) {
	tick := time.NewTicker(l.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			sheet := l.label(atomic.AddInt64(&l.count, 1))
			l.events.Note(fmt.Sprintf("label %d has %d bytes", sheet.number, len(sheet.raster)))
		}
	}
}

func (l *Line) label(number int64) *Sheet {
	sheet := &Sheet{number: number, raster: l.render(number), file: l.spool.Create(number)}
	runtime.SetFinalizer(sheet, closeSheet)
	return sheet
}

func (l *Line) render(number int64) []byte {
	raster := make([]byte, 26<<10)
	face := l.fonts.face(int(number % 7))
	for i := range raster {
		raster[i] = face[i%len(face)] ^ byte(number)
	}
	return raster
}

func closeSheet(s *Sheet) {
	s.file.Close()
}

func (l *Line) show(w http.ResponseWriter, r *http.Request) {
	for _, e := range l.events.Last(20) {
		fmt.Fprintln(w, e.At.Format(time.RFC3339), e.Text)
	}
}
