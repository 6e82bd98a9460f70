// Package registry knows where each merchant wants its events delivered.
package registry

import (
	"errors"
	"sync"
)

// ErrUnknown is returned for merchants without an endpoint.
var ErrUnknown = errors.New("registry: merchant has no endpoint")

// Endpoint is one merchant's subscription.
type Endpoint struct {
	Merchant string
	URL      string
	Secret   []byte
}

// Registry is a concurrent set of endpoints.
type Registry struct {
	mu  sync.RWMutex
	byM map[string]Endpoint
}

func New() *Registry { return &Registry{byM: make(map[string]Endpoint)} }

// Put adds or replaces the endpoint of a merchant.
func (r *Registry) Put(e Endpoint) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byM[e.Merchant] = e
}

// Lookup finds the endpoint of a merchant.
func (r *Registry) Lookup(merchant string) (Endpoint, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	e, ok := r.byM[merchant]
	if !ok {
		return Endpoint{}, ErrUnknown
	}
	return e, nil
}
