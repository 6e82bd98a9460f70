package main

import (
	"fmt"
	"net/http"
	"sort"
	"sync"

	"example.org/halyard/tidefeed"
)

// wall shows the level of every station; it follows them all for as long as the process lives.
type wall struct {
	mu     sync.RWMutex
	levels map[string]int
}

func newWall(feed *tidefeed.Client, stations []string) (*wall, error) {
	w := &wall{levels: make(map[string]int)}
	for _, name := range stations {
		f, err := feed.Follow(name)
		if err != nil {
			return nil, err
		}
		go f.Run()
		go w.keep(f)
	}
	return w, nil
}

func (w *wall) keep(f *tidefeed.Follower) {
	defer f.Close()
	for r := range f.C() {
		w.mu.Lock()
		w.levels[r.Station] = r.Level
		w.mu.Unlock()
	}
}

func (w *wall) show(out http.ResponseWriter, r *http.Request) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	names := make([]string, 0, len(w.levels))
	for name := range w.levels {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(out, "%-12s %5d\n", name, w.levels[name])
	}
}
