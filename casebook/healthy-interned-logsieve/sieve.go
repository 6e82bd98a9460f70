package main

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/peer"
)

// A Sieve reads logs.
type Sieve struct {
	source *peer.Peer
	words  *Vocabulary
	recent *Recent

	mu      sync.Mutex
	readers map[int]chan *Entry
}

func (s *Sieve) read(w http.ResponseWriter, r *http.Request) {
	raw, err := s.source.Get(r.Context(), "/log/"+chassis.Tail(r, "/read/"), 1<<20)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	entry := parse(raw)
	fresh := 0
	for _, word := range entry.words {
		if s.words.Learn(word) {
			fresh++
		}
	}
	s.hand(chassis.Tail(r, "/read/"), entry)
	fmt.Fprintf(w, "%d words, %d of them new\n", len(entry.words), fresh)
}

// hand gives the entry to the reader of its source; there are 36 sources.
func (s *Sieve) hand(name string, entry *Entry) {
	number, _ := strconv.Atoi(name)
	number %= 36
	s.mu.Lock()
	entries := s.readers[number]
	if entries == nil {
		entries = make(chan *Entry)
		s.readers[number] = entries
		go s.reader(entries)
		go s.reader(entries)
	}
	s.mu.Unlock()
	entries <- entry
}

func (s *Sieve) reader(entries <-chan *Entry) {
	quiet := time.NewTicker(20 * time.Second)
	defer quiet.Stop()
	for {
		select {
		case entry := <-entries:
			s.recent.Push(entry)
		case <-quiet.C:
		}
	}
}

func (s *Sieve) list(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "%.0f\n", s.words.count())
}

// An Entry is a log as it was read, with the words in it.
type Entry struct {
	text  string
	words []string
}

func parse(raw []byte) *Entry {
	text := string(raw)
	return &Entry{text: text, words: strings.Fields(text)}
}

// logService stands in for the log store; its logs have up to 9,000 different words.
func logService() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(45 * time.Millisecond)
		number := strings.TrimPrefix(r.URL.Path, "/log/")
		seed := 1
		for _, c := range number {
			seed = seed*31 + int(c)
		}
		var out bytes.Buffer
		for i := 0; i < 1200; i++ {
			seed = (seed*1103515245 + 12345) & 0x7fffffff
			fmt.Fprintf(&out, "component-%04d/handler-of-requests-from-region ", (seed>>8)%9000)
		}
		w.Write(out.Bytes())
	})
}
