package main

import (
	"fmt"
	"net/http"
	"path"
	"sort"
	"sync"
	"time"

	"example.org/halyard/tidefeed"
	"example.org/meridian/gangway"
)

var stations = []string{"fairway-1", "fairway-2", "turning-basin", "oil-pier", "outer-road"}

type dispatcher struct {
	feed   *tidefeed.Client
	charts *gangway.Neighbour

	mu    sync.Mutex
	ships map[string]*transit
}

func newDispatcher(feed *tidefeed.Client, charts *gangway.Neighbour) *dispatcher {
	return &dispatcher{feed: feed, charts: charts, ships: make(map[string]*transit)}
}

// ship takes a ship under pilotage (POST) or lets the one go that began first (DELETE).
func (d *dispatcher) ship(w http.ResponseWriter, r *http.Request) {
	name := path.Base(r.URL.Path)
	switch r.Method {
	case http.MethodPost:
		if err := d.take(name); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusCreated)
	case http.MethodDelete:
		gone := d.moor()
		fmt.Fprintln(w, gone)
	default:
		d.mu.Lock()
		fmt.Fprintln(w, len(d.ships))
		d.mu.Unlock()
	}
}

func (d *dispatcher) take(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, known := d.ships[name]; known {
		return nil
	}
	f, err := d.feed.Follow(stations[len(d.ships)%len(stations)])
	if err != nil {
		return err
	}
	t := &transit{name: name, begun: time.Now(), follower: f}
	go f.Run()
	go t.advise()
	d.ships[name] = t
	return nil
}

func (d *dispatcher) moor() string {
	d.mu.Lock()
	all := make([]*transit, 0, len(d.ships))
	for _, t := range d.ships {
		all = append(all, t)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].begun.Before(all[j].begun) })
	if len(all) == 0 {
		d.mu.Unlock()
		return ""
	}
	delete(d.ships, all[0].name)
	d.mu.Unlock()
	all[0].follower.Close()
	return all[0].name
}

func (d *dispatcher) level(w http.ResponseWriter, r *http.Request) {
	if _, err := d.charts.Get(r.Context(), r.URL.Path); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	level, err := d.once(stations[len(r.URL.Path)%len(stations)])
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, level)
}

func (d *dispatcher) once(station string) (int, error) {
	f, err := d.feed.Follow(station)
	if err != nil {
		return 0, err
	}
	go f.Run()
	defer f.Close()
	r, ok := <-f.C()
	if !ok {
		return 0, tidefeed.ErrClosed
	}
	return r.Level, nil
}
