package main

import "sync"

// mailroom sends notices; its clerks sleep until there is one.
type mailroom struct {
	mu      sync.Mutex
	arrived *sync.Cond
	notices []string
	sent    int
}

func newMailroom(clerks int) *mailroom {
	m := &mailroom{}
	m.arrived = sync.NewCond(&m.mu)
	for i := 0; i < clerks; i++ {
		go m.clerk()
	}
	return m
}

func (m *mailroom) send(ref, text string) {
	m.mu.Lock()
	m.notices = append(m.notices, ref+": "+text)
	m.mu.Unlock()
	m.arrived.Signal()
}

func (m *mailroom) clerk() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for {
		for len(m.notices) == 0 {
			m.arrived.Wait()
		}
		m.notices = m.notices[1:]
		m.sent++
	}
}
