package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"sync"
	"time"
)

// Duty is what is due on an article.
type Duty struct {
	Code  string    `json:"code"`
	Text  string    `json:"text"`
	As    time.Time `json:"as_of"`
	Stale bool      `json:"stale"`
}

// Table answers from memory and refreshes what is stale in the background.
type Table struct {
	base   string
	client *http.Client

	mu         sync.RWMutex
	duties     map[string]Duty
	refreshing map[string]bool
}

// NewTable returns an empty table that is filled from the registry.
func NewTable(base string) *Table {
	return &Table{
		base: base, duties: make(map[string]Duty), refreshing: make(map[string]bool),
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4, DisableCompression: true}},
	}
}

// Known is the number of articles in the table.
func (t *Table) Known() float64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return float64(len(t.duties))
}

// Duty returns what is known now; callers come back when they need better.
func (t *Table) Duty(code string) Duty {
	t.mu.RLock()
	d, ok := t.duties[code]
	t.mu.RUnlock()
	if !ok || time.Since(d.As) > time.Hour {
		t.renew(code)
		d.Code, d.Stale = code, true
	}
	return d
}

func (t *Table) renew(code string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.refreshing[code] {
		return
	}
	t.refreshing[code] = true
	go t.refresh(code)
}

func (t *Table) refresh(code string) {
	text, err := t.fetch(code)
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.refreshing, code)
	if err != nil {
		log.Printf("duty %s: %v", code, err)
		return
	}
	t.duties[code] = Duty{Code: code, Text: text, As: time.Now()}
}

func (t *Table) fetch(code string) (string, error) {
	resp, err := t.client.Get(t.base + "/duty/" + code)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("registry: %s", resp.Status)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, 64))
	_, _ = io.Copy(io.Discard, resp.Body)
	return string(text), err
}

// Print renders the whole table for the printers in the customs office.
func (t *Table) Print() {
	var page bytes.Buffer
	t.mu.RLock()
	defer t.mu.RUnlock()
	page.Grow(1 << 20)
	for code, d := range t.duties {
		fmt.Fprintf(&page, "%-12s %s\n", code, d.Text)
	}
}
