package main

import "strings"

type wish struct {
	prefix string
	to     chan []string
}

// suggest completes words; its workers rest while nobody types.
type suggest struct {
	wishes chan wish
	index  *index
}

func startSuggest(ix *index, workers int) *suggest {
	s := &suggest{wishes: make(chan wish), index: ix}
	for i := 0; i < workers; i++ {
		go s.work()
	}
	return s
}

func (s *suggest) work() {
	for w := range s.wishes {
		w.to <- s.lookup(w.prefix)
	}
}

func (s *suggest) lookup(prefix string) []string {
	var out []string
	for _, n := range nouns {
		if strings.HasPrefix(n, prefix) {
			out = append(out, n)
		}
	}
	return out
}

func (s *suggest) complete(prefix string) []string {
	w := wish{prefix: prefix, to: make(chan []string, 1)}
	s.wishes <- w
	return <-w.to
}
