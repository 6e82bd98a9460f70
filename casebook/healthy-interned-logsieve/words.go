package main

import (
	"context"
	"strings"
	"sync"
	"time"
)

// A Vocabulary has every word once.
type Vocabulary struct {
	mu    sync.Mutex
	known map[string]*usage
}

// usage is how often a word was met, by hour.
type usage struct {
	hours [64]float64
}

// NewVocabulary knows no word.
func NewVocabulary() *Vocabulary {
	return &Vocabulary{known: make(map[string]*usage)}
}

func (v *Vocabulary) count() float64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return float64(len(v.known))
}

// Learn tells whether the word is new.
func (v *Vocabulary) Learn(word string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if u := v.known[word]; u != nil {
		u.hours[time.Now().Hour()]++
		return false
	}
	v.known[intern(word)] = newUsage()
	return true
}

// intern copies the word, so that the log it was cut from can go.
func intern(word string) string {
	return strings.Clone(word)
}

func newUsage() *usage {
	return &usage{}
}

// rank lets old counts fade.
func (v *Vocabulary) rank(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(5 * time.Second):
		}
		v.mu.Lock()
		for _, u := range v.known {
			u.hours[0] *= 0.99
		}
		v.mu.Unlock()
	}
}

// Recent has the last entries, for whoever wants to see the words in their place.
type Recent struct {
	mu   sync.Mutex
	ring []*Entry
	next int
}

// NewRecent has room for n entries.
func NewRecent(n int) *Recent {
	return &Recent{ring: make([]*Entry, n)}
}

// Push takes the place of the oldest entry.
func (r *Recent) Push(e *Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ring[r.next%len(r.ring)] = e
	r.next++
}
