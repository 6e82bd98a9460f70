// Atlas draws tiles of a map. The last ones drawn are kept, up to a number; callers of one tile share its drawing.
package main

import (
	"container/list"
	"hash/fnv"
	"net/http"
	"sync"
	"time"

	"example.com/firsts/serve"
)

const kept = 160

type tile struct {
	name   string
	pixels []byte
}

type drawing struct {
	ready chan struct{}
	tile  *tile
}

type atlas struct {
	mu       sync.Mutex
	order    *list.List
	tiles    map[string]*list.Element
	underway map[string]*drawing
}

func (a *atlas) get(name string) *tile {
	a.mu.Lock()
	if e, ok := a.tiles[name]; ok {
		a.order.MoveToFront(e)
		a.mu.Unlock()
		return e.Value.(*tile)
	}
	if d, ok := a.underway[name]; ok {
		a.mu.Unlock()
		<-d.ready
		return d.tile
	}
	d := &drawing{ready: make(chan struct{})}
	a.underway[name] = d
	a.mu.Unlock()
	go a.draw(name, d)
	<-d.ready
	return d.tile
}

func (a *atlas) draw(name string, d *drawing) {
	time.Sleep(2 * time.Millisecond)
	hash := fnv.New64a()
	hash.Write([]byte(name))
	pixels := make([]byte, 24<<10)
	for i := range pixels {
		pixels[i] = byte(hash.Sum64() >> (i % 8))
	}
	d.tile = &tile{name, pixels}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.underway, name)
	a.tiles[name] = a.order.PushFront(d.tile)
	for a.order.Len() > kept {
		last := a.order.Back()
		a.order.Remove(last)
		delete(a.tiles, last.Value.(*tile).name)
	}
	close(d.ready)
}

func main() {
	a := &atlas{order: list.New(), tiles: map[string]*list.Element{}, underway: map[string]*drawing{}}
	http.HandleFunc("/tiles/", func(w http.ResponseWriter, r *http.Request) {
		w.Write(a.get(r.URL.Path).pixels[:512])
	})
	serve.Run()
}
