package main

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// coreBank stands in for the bank's core, where one account in ten has moved to the archive, which is slow.
func coreBank() http.Handler {
	var asked int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wait := 70 * time.Millisecond
		if strings.HasPrefix(r.URL.Path, "/entries/") && atomic.AddInt64(&asked, 1)%10 == 0 {
			wait = 1700 * time.Millisecond
		}
		time.Sleep(wait)
		w.Write(bytes.Repeat([]byte(r.URL.Path+" 2024-02-29 transfer 12.50\n"), 600))
	})
}

// stampers put the bank's stamp on sheets; each has its own press.
type stampers struct {
	date atomic.Value
	work chan *Sheet
	done chan struct{}
}

func newStampers(presses int) *stampers {
	s := &stampers{work: make(chan *Sheet), done: make(chan struct{})}
	s.date.Store(time.Now().Format("STAMPED 2006-01-02 "))
	for i := 0; i < presses; i++ {
		go s.press()
	}
	return s
}

func (s *stampers) press() {
	for sheet := range s.work {
		copy(sheet.page, s.date.Load().(string))
		s.done <- struct{}{}
	}
}

func (s *stampers) stamp(sheet *Sheet) {
	s.work <- sheet
	<-s.done
}

// rotate changes the stamp's date.
func (s *stampers) rotate(ctx context.Context) {
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			s.date.Store(now.Format("STAMPED 2006-01-02 "))
		}
	}
}
