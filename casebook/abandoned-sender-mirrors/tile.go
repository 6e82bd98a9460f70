package main

import "time"

// tile is a square of the map that is drawn anew now and then.
type tile struct {
	id     int
	pixels []byte
}

func newTile(id int) *tile {
	return &tile{id: id, pixels: make([]byte, 4096)}
}

func (t *tile) keepWarm() {
	clock := time.NewTicker(time.Duration(4000+37*t.id) * time.Millisecond)
	defer clock.Stop()
	for range clock.C {
		t.draw()
	}
}

func (t *tile) draw() {
	fresh := make([]byte, len(t.pixels))
	for i := range fresh {
		fresh[i] = byte(i * t.id)
	}
	t.pixels = fresh
}
