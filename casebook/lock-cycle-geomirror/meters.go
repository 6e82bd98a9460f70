package main

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"example.org/quarry/portico"
)

// tenantLimit is how many tenants hold a meter of their own; others share one.
const tenantLimit = 140

// Meters limit the calls of each tenant.
type Meters struct {
	mu     sync.RWMutex
	byName map[string]*meter
	shared *meter
}

type meter struct {
	tokens chan struct{}
}

// NewMeters returns the meters; those of tenants are made when they first call.
func NewMeters() *Meters {
	return &Meters{byName: make(map[string]*meter), shared: newMeter(400)}
}

func newMeter(burst int) *meter {
	m := &meter{tokens: make(chan struct{}, burst)}
	for i := 0; i < burst; i++ {
		m.tokens <- struct{}{}
	}
	go m.refill(3 * time.Second)
	return m
}

func (m *meter) refill(every time.Duration) {
	tick := time.NewTicker(every)
	for range tick.C {
		for full := false; !full; {
			select {
			case m.tokens <- struct{}{}:
			default:
				full = true
			}
		}
	}
}

// Size is the number of tenants with a meter.
func (ms *Meters) Size() float64 {
	ms.mu.RLock()
	defer ms.mu.RUnlock()
	return float64(len(ms.byName))
}

func (ms *Meters) of(tenant string) *meter {
	ms.mu.RLock()
	m, full := ms.byName[tenant], len(ms.byName) >= tenantLimit
	ms.mu.RUnlock()
	if m != nil {
		return m
	}
	if full {
		return ms.shared
	}
	ms.mu.Lock()
	defer ms.mu.Unlock()
	if m = ms.byName[tenant]; m == nil {
		m = newMeter(50)
		ms.byName[tenant] = m
	}
	return m
}

// admit takes a token of the caller's meter.
func (ms *Meters) admit(c *portico.Call) error {
	tenant := c.R.Header.Get("X-Tenant")
	if tenant == "" {
		tenant = fmt.Sprint("t", c.Number()%500)
	}
	select {
	case <-ms.of(tenant).tokens:
		return c.Next()
	default:
		return portico.Refusal{Status: http.StatusTooManyRequests, Reason: "slow down"}
	}
}
