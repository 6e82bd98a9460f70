// Package raster draws tiles.
package raster

import "time"

const edge = 96

// Tile is a drawn piece of the map.
type Tile struct {
	Place  string
	Drawn  time.Time
	Pixels []byte
}

// Drawer draws a few tiles at a time.
type Drawer struct {
	slots chan struct{}
}

// NewDrawer draws at most so many tiles at once.
func NewDrawer(most int) *Drawer {
	return &Drawer{slots: make(chan struct{}, most)}
}

// Draw returns the tile of a place.
func (d *Drawer) Draw(place string) *Tile {
	d.slots <- struct{}{}
	defer func() { <-d.slots }()
	return &Tile{Place: place, Drawn: time.Now(), Pixels: paint(terrain(place))}
}

func paint(heights []float64) []byte {
	pixels := make([]byte, 3*len(heights))
	for i, h := range heights {
		pixels[3*i] = byte(h)
		pixels[3*i+1] = byte(h / 2)
		pixels[3*i+2] = byte(255 - h)
	}
	return pixels
}

func terrain(place string) []float64 {
	heights := make([]float64, edge*edge)
	seed := 1.0
	for _, c := range place {
		seed = seed*1.1 + float64(c)
	}
	for i := range heights {
		seed = seed*16807 - float64(int64(seed*16807/2147483647))*2147483647
		heights[i] = seed / 2147483647 * 255
	}
	return heights
}
