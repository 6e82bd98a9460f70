package feed

import (
	"hash/fnv"
	"sync"
)

// Price is what the shop front needs of an offer.
type Price struct {
	Cents int32
	Stock int32
}

// Catalogue holds the current price of each article, by the hash of its number.
type Catalogue struct {
	mu     sync.RWMutex
	prices map[uint64]Price
}

func NewCatalogue() *Catalogue { return &Catalogue{prices: make(map[uint64]Price)} }

// Apply brings the prices of a page into force and tells how many changed.
func (c *Catalogue) Apply(merchant string, p *Page) int {
	changed := 0
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range p.Offers {
		k, v := key(merchant, o.SKU), Price{int32(o.Cents), int32(o.Stock)}
		if c.prices[k] != v {
			c.prices[k] = v
			changed++
		}
	}
	return changed
}

// Lookup finds one price.
func (c *Catalogue) Lookup(merchant, sku string) (Price, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	p, ok := c.prices[key(merchant, sku)]
	return p, ok
}

func key(merchant, sku string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(merchant))
	h.Write([]byte{0})
	h.Write([]byte(sku))
	return h.Sum64()
}
