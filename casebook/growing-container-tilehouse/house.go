package main

import (
	"hash/fnv"
	"net/http"
	"sync"
	"time"

	"example.org/granaryworks/granary/chassis"
	"example.org/granaryworks/granary/lane"

	"example.com/meridian/tilehouse/raster"
)

// House answers for tiles and sprites.
type House struct {
	tiles   *TileCache
	sprites *Sprites
	viewers *viewers
	byPath  bool
}

func (h *House) tile(w http.ResponseWriter, r *http.Request) {
	key := r.URL.RequestURI()
	if h.byPath {
		key = r.URL.Path
	}
	t := h.tiles.Get(key, chassis.Tail(r, "/tile/"))
	w.Header().Set("Content-Type", "image/x-portable-pixmap")
	w.Header().Set("Last-Modified", t.Drawn.Format(http.TimeFormat))
	w.Write(t.Pixels)
}

func (h *House) sprite(w http.ResponseWriter, r *http.Request) {
	w.Write(h.sprites.Get(chassis.Tail(r, "/sprite/")))
}

// TileCache keeps drawn tiles for the next visitor.
type TileCache struct {
	drawer *raster.Drawer
	tiles  sync.Map
}

// Get returns the tile of the key, drawn now if it was never asked for.
func (c *TileCache) Get(key, place string) *raster.Tile {
	if t, ok := c.tiles.Load(key); ok {
		return t.(*raster.Tile)
	}
	t, _ := c.tiles.LoadOrStore(key, c.drawer.Draw(place))
	return t.(*raster.Tile)
}

// Sprites keeps the icons that were used last.
type Sprites struct {
	mu    sync.Mutex
	most  int
	lane  *lane.Lane
	bytes map[uint32][]byte
	order []uint32
}

// NewSprites keeps at most so many icons and draws them on the workers of l.
func NewSprites(most int, l *lane.Lane) *Sprites {
	return &Sprites{most: most, lane: l, bytes: make(map[uint32][]byte)}
}

// Len is the number of icons kept.
func (s *Sprites) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.order)
}

// Get returns the icon of the name.
func (s *Sprites) Get(name string) []byte {
	h := fnv.New32a()
	h.Write([]byte(name))
	id := h.Sum32() % 5000
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, ok := s.bytes[id]; ok {
		return b
	}
	var b []byte
	s.lane.Wait(func() { b = icon(id) })
	s.bytes[id] = b
	s.order = append(s.order, id)
	if len(s.order) > s.most {
		delete(s.bytes, s.order[0])
		s.order = append(s.order[:0], s.order[1:]...)
	}
	return b
}

func icon(id uint32) []byte {
	b := make([]byte, 40<<10)
	for i := range b {
		b[i] = byte(id >> (8 * uint(i%4)))
	}
	return b
}

// viewers are the browsers that wait for news of the map.
type viewers struct {
	mu   sync.Mutex
	news map[chan time.Time]bool
}

func newViewers() *viewers {
	return &viewers{news: make(map[chan time.Time]bool)}
}

func (v *viewers) count() float64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return float64(len(v.news))
}
