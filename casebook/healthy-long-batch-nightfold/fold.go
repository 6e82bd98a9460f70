package main

import (
	"log"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// Folder runs batches; each has a few workers and takes minutes.
type Folder struct {
	pace    time.Duration
	batches int32
	running int32
	pages   uint64
}

// NewFolder takes so long for a page.
func NewFolder(pace time.Duration) *Folder { return &Folder{pace: pace} }

// Running is the number of batches that are not done.
func (f *Folder) Running() float64 { return float64(atomic.LoadInt32(&f.running)) }

// Pages is the number of pages folded so far.
func (f *Folder) Pages() float64 { return float64(atomic.LoadUint64(&f.pages)) }

// Start begins a batch and returns its number.
func (f *Folder) Start(workers, pages int) int {
	number := int(atomic.AddInt32(&f.batches, 1))
	atomic.AddInt32(&f.running, 1)
	go f.batch(number, workers, pages)
	return number
}

func (f *Folder) batch(number, workers, pages int) {
	defer atomic.AddInt32(&f.running, -1)
	began := time.Now()
	var crew sync.WaitGroup
	sums := make([]float64, workers)
	for w := 0; w < workers; w++ {
		crew.Add(1)
		go func(w int) {
			defer crew.Done()
			for p := 0; p < pages; p++ {
				sums[w] += f.page(p)
			}
		}(w)
	}
	crew.Wait()
	log.Printf("batch %d took %s", number, time.Since(began).Round(time.Second))
}

// page reads a page of measurements from the tape and folds it.
func (f *Folder) page(p int) float64 {
	time.Sleep(f.pace)
	values := make([]float64, 4<<10)
	for i := range values {
		values[i] = float64((i * p) % 97)
	}
	sort.Float64s(values)
	atomic.AddUint64(&f.pages, 1)
	return values[len(values)/2]
}
