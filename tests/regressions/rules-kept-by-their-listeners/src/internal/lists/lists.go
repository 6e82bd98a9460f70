// Package lists holds the shared block and allow lists the rules consult.
package lists

import "sync"

// Book is the set of named lists.
type Book struct {
	mu       sync.RWMutex
	entries  map[string]map[string]bool
	watchers []func(name string)
}

func NewBook() *Book { return &Book{entries: make(map[string]map[string]bool)} }

// Watch calls f after each change of a list.
func (b *Book) Watch(f func(name string)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.watchers = append(b.watchers, f)
}

// Add puts a value on a list.
func (b *Book) Add(name, value string) {
	b.mu.Lock()
	l, ok := b.entries[name]
	if !ok {
		l = make(map[string]bool)
		b.entries[name] = l
	}
	l[value] = true
	watchers := b.watchers
	b.mu.Unlock()
	for _, f := range watchers {
		f(name)
	}
}

// Has tells whether a value is listed.
func (b *Book) Has(name, value string) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.entries[name][value]
}
