package main

import (
	"fmt"
	"sync"
	"time"
)

const aisles = 4

// Bin is the place of one article.
type Bin struct {
	Aisle    int
	Stock    int
	Reserved int
}

// Shelf is what lies in the warehouse.
type Shelf struct {
	skus   []string
	orders *Orders

	mu   sync.Mutex
	bins map[string]*Bin
}

// NewShelf returns a shelf with n articles.
func NewShelf(n int, orders *Orders) *Shelf {
	s := &Shelf{orders: orders, bins: make(map[string]*Bin, n)}
	for i := 0; i < n; i++ {
		sku := fmt.Sprintf("SKU-%04d", 1000+7*i)
		s.skus = append(s.skus, sku)
		s.bins[sku] = &Bin{Aisle: i % aisles, Stock: 100000}
	}
	return s
}

// Reserve sets stock aside.
func (s *Shelf) Reserve(sku string, count int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	bin, ok := s.bins[sku]
	if !ok {
		return fmt.Errorf("no article %s", sku)
	}
	if bin.Stock-bin.Reserved < count {
		return fmt.Errorf("article %s is sold out", sku)
	}
	bin.Reserved += count
	return nil
}

// Recount compares the bins of an aisle with what the scanners see and what is promised.
func (s *Shelf) Recount(aisle int) (missing int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sku := range s.skus {
		bin := s.bins[sku]
		if bin.Aisle != aisle {
			continue
		}
		seen := scan(bin)
		if promised := s.orders.OpenFor(sku); promised > seen {
			missing += promised - seen
		}
	}
	return missing
}

// scan asks the handheld scanner of an aisle, which takes its time.
func scan(bin *Bin) int {
	time.Sleep(25 * time.Millisecond)
	return bin.Stock
}
