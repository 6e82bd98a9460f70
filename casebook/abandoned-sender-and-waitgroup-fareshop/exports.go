package main

import (
	"fmt"
	"log"
	"strings"
	"sync"

	"example.org/meridian/gangway"
)

var decks = []string{"bridge", "promenade", "main", "car", "crew"}

type manifest struct {
	id      int
	sailing string

	pending sync.WaitGroup
	mu      sync.Mutex
	pages   map[string]string
}

type exporter struct {
	crew *gangway.Crew

	mu     sync.Mutex
	nextID int
}

func newExporter(crew *gangway.Crew) *exporter {
	return &exporter{crew: crew}
}

func (e *exporter) start(sailing string) *manifest {
	e.mu.Lock()
	e.nextID++
	m := &manifest{id: e.nextID, sailing: sailing, pages: make(map[string]string)}
	e.mu.Unlock()

	m.pending.Add(len(decks))
	for _, deck := range decks {
		deck := deck
		e.crew.Do(func() { e.page(m, deck) })
	}
	go e.seal(m)
	return m
}

func (e *exporter) page(m *manifest, deck string) {
	rows := passengers(m.sailing, deck)
	if len(rows) == 0 {
		return
	}
	m.mu.Lock()
	m.pages[deck] = strings.Join(rows, "\n")
	m.mu.Unlock()
	m.pending.Done()
}

func (e *exporter) seal(m *manifest) {
	m.pending.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	log.Printf("manifest %d of %s has %d pages", m.id, m.sailing, len(m.pages))
}

func passengers(sailing, deck string) []string {
	if deck == "car" {
		return nil
	}
	rows := make([]string, 0, 40)
	for i := 0; i < 40; i++ {
		rows = append(rows, fmt.Sprintf("%s,%s,%03d", sailing, deck, i))
	}
	return rows
}
