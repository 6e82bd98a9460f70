package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"

	"example.org/quarry/portico"
)

// tail streams the recent lines and then whatever comes.
func (h *Hub) tail(c *portico.Call) error {
	f, recent := h.join()
	defer h.leave(f)
	c.W.Header().Set("Content-Type", "text/plain")
	c.Status(http.StatusOK)
	out := newLineWriter(c.W)
	for _, text := range recent {
		if err := out.line(text); err != nil {
			return nil
		}
	}
	for {
		select {
		case text := <-f.lines:
			if err := out.line(text); err != nil {
				return nil
			}
			if len(f.lines) == 0 {
				if err := out.flush(); err != nil {
					return nil
				}
			}
		case <-c.Ctx.Done():
			return nil
		}
	}
}

type lineWriter struct {
	buf   *bufio.Writer
	flush func() error
}

func newLineWriter(w io.Writer) *lineWriter {
	lw := &lineWriter{buf: bufio.NewWriterSize(w, 16<<10)}
	lw.flush = func() error {
		if err := lw.buf.Flush(); err != nil {
			return err
		}
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		return nil
	}
	return lw
}

func (lw *lineWriter) line(text string) error {
	_, err := lw.buf.WriteString(text)
	return err
}

// Archive searches older lines; what was searched for once is kept.
type Archive struct {
	pages chan map[string][]string
}

// NewArchive returns an archive with room for so many searches.
func NewArchive(room int) *Archive {
	a := &Archive{pages: make(chan map[string][]string, 1)}
	a.pages <- make(map[string][]string, room)
	return a
}

// Search returns the lines that hold a word.
func (a *Archive) Search(word string) []string {
	pages := <-a.pages
	defer func() { a.pages <- pages }()
	key := word
	if len(key) > 1 {
		key = key[:1]
	}
	if found, ok := pages[key]; ok {
		return found
	}
	found := make([]string, 0, 40)
	for i := 0; i < 40; i++ {
		found = append(found, fmt.Sprint(word, ": ", strings.Repeat("x", 200)))
	}
	pages[key] = found
	return found
}
