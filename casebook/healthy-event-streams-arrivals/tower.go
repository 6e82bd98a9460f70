package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"sync"
	"time"
)

// Landing is an aircraft on the ground.
type Landing struct {
	Flight string    `json:"flight"`
	At     time.Time `json:"at"`
}

// Tower knows what has landed and who wants to know.
type Tower struct {
	mu      sync.Mutex
	recent  []Landing
	viewers map[*viewer]bool
}

type viewer struct {
	landings chan Landing
	once     sync.Once
}

func (v *viewer) close() { v.once.Do(func() { close(v.landings) }) }

// NewTower returns a tower at dawn.
func NewTower() *Tower { return &Tower{viewers: make(map[*viewer]bool)} }

// Viewers is how many look on.
func (t *Tower) Viewers() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.viewers)
}

// join takes a viewer on for as long as ctx lasts.
func (t *Tower) join(ctx context.Context) <-chan Landing {
	v := &viewer{landings: make(chan Landing, 8)}
	t.mu.Lock()
	t.viewers[v] = true
	t.mu.Unlock()
	go func() {
		<-ctx.Done()
		t.mu.Lock()
		delete(t.viewers, v)
		t.mu.Unlock()
		v.close()
	}()
	return v.landings
}

// stream sends landings as server-sent events until the browser goes.
func (t *Tower) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	flusher, _ := w.(http.Flusher)
	flusher.Flush()
	for l := range t.join(r.Context()) {
		data, _ := json.Marshal(l)
		if _, err := fmt.Fprintf(w, "data: %s\n\n", data); err != nil {
			return
		}
		flusher.Flush()
	}
}

// poll answers with the next landing, or after a while with none.
func (t *Tower) poll(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 3*time.Minute)
	defer cancel()
	landings := t.join(ctx)
	select {
	case l, ok := <-landings:
		if ok {
			_ = json.NewEncoder(w).Encode(l)
			return
		}
	case <-ctx.Done():
	}
	w.WriteHeader(http.StatusNoContent)
}

func (t *Tower) landed(w http.ResponseWriter, r *http.Request) {
	l := Landing{Flight: path.Base(r.URL.Path), At: time.Now()}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.recent = append(t.recent, l)
	if len(t.recent) > 100 {
		t.recent = t.recent[1:]
	}
	for v := range t.viewers {
		select {
		case v.landings <- l:
		default:
		}
	}
}

// watch draws the radar picture.
func (t *Tower) watch() {
	tick := time.NewTicker(1500 * time.Millisecond)
	for range tick.C {
		radar := make([][]byte, 48)
		for i := range radar {
			radar[i] = make([]byte, 16<<10)
		}
	}
}
