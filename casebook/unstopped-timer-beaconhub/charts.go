package main

import (
	"net/http"
	"strconv"
	"sync"

	"example.org/granaryworks/granary/chassis"
)

// Charts are the sheets of the harbour map, compiled when first needed.
type Charts struct {
	mu     sync.Mutex
	sheets [140][]byte
}

// NewCharts has no sheet compiled.
func NewCharts() *Charts {
	return &Charts{}
}

func (c *Charts) show(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(chassis.Tail(r, "/chart/"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	soundings := c.soundings(n)
	c.mu.Lock()
	defer c.mu.Unlock()
	sheet := &c.sheets[n%len(c.sheets)]
	if *sheet == nil {
		*sheet = compile(soundings)
	}
	w.Write((*sheet)[:1024])
}

// soundings are measured again for every reader.
func (c *Charts) soundings(n int) []float64 {
	depths := make([]float64, 24<<10)
	for i := range depths {
		depths[i] = float64((i * n) % 41)
	}
	return depths
}

func compile(depths []float64) []byte {
	sheet := make([]byte, 160<<10)
	for i := range sheet {
		sheet[i] = byte('0' + int(depths[i%len(depths)])%10)
	}
	return sheet
}
