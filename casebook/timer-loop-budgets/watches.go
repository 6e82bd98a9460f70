package main

import (
	"log"
	"sync"
	"time"
)

// watch warns when an account has used up its budget.
type watch struct {
	account string
	budget  int
	meters  *meters
	warned  bool
}

func (w *watch) run() {
	ticker := time.NewTicker(2200 * time.Millisecond)
	defer ticker.Stop()
	for range ticker.C {
		w.look()
	}
}

func (w *watch) look() {
	if used := w.meters.used(w.account); used > w.budget && !w.warned {
		w.warned = true
		log.Printf("account %s has used %d of %d", w.account, used, w.budget)
	}
}

// watches has one watch for each account; setting it again changes the budget.
type watches struct {
	meters *meters

	mu     sync.Mutex
	active map[string]*watch
}

func newWatches(m *meters) *watches {
	return &watches{meters: m, active: make(map[string]*watch)}
}

func (ws *watches) set(account string, budget int) {
	w := &watch{account: account, budget: budget, meters: ws.meters}
	ws.mu.Lock()
	ws.active[account] = w
	ws.mu.Unlock()
	go w.run()
}
