package main

import "sync"

// fontCache keeps the glyphs of so many faces and throws the oldest away.
type fontCache struct {
	max int

	mu    sync.Mutex
	order []string
	faces map[string][]byte
}

func newFontCache(max int) *fontCache {
	return &fontCache{max: max, faces: make(map[string][]byte)}
}

func (c *fontCache) face(parcel string) []byte {
	key := parcel
	if len(key) > 2 {
		key = key[len(key)-2:]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if glyphs, ok := c.faces[key]; ok {
		return glyphs
	}
	if len(c.order) == c.max {
		delete(c.faces, c.order[0])
		c.order = c.order[1:]
	}
	glyphs := rasterise(key)
	c.faces[key] = glyphs
	c.order = append(c.order, key)
	return glyphs
}

func rasterise(key string) []byte {
	glyphs := make([]byte, 128<<10)
	for i := range glyphs {
		glyphs[i] = key[i%len(key)]
	}
	return glyphs
}
