package main

import (
	"fmt"
	"hash/fnv"
	"log"
	"strings"
	"sync"
	"time"
)

// Document is a page of a book.
type Document struct {
	ID   int
	Text string
}

// Indexer makes a new generation of the index in each pass.
type Indexer struct {
	mu         sync.Mutex
	passes     int
	generation int
	terms      map[uint32]int
	seen       map[int]time.Time
}

// NewIndexer returns an empty index.
func NewIndexer() *Indexer {
	return &Indexer{terms: make(map[uint32]int), seen: make(map[int]time.Time)}
}

// Start begins a pass over all documents and returns its number.
func (ix *Indexer) Start() int {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.passes++
	go ix.pass(ix.passes, documents(ix.passes))
	return ix.passes
}

// pass indexes what has changed and then switches to the new generation.
func (ix *Indexer) pass(number int, docs []Document) {
	var left sync.WaitGroup
	left.Add(len(docs))
	slots := make(chan struct{}, 8)
	for _, doc := range docs {
		if ix.unchanged(doc) {
			continue
		}
		slots <- struct{}{}
		go func(doc Document) {
			defer left.Done()
			ix.index(doc)
			<-slots
		}(doc)
	}
	left.Wait()
	ix.mu.Lock()
	ix.generation = number
	ix.mu.Unlock()
	log.Printf("generation %d is live", number)
}

// unchanged tells whether a document was indexed a short while ago.
func (ix *Indexer) unchanged(doc Document) bool {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	at, ok := ix.seen[doc.ID]
	return ok && time.Since(at) < 10*time.Minute
}

func (ix *Indexer) index(doc Document) {
	for _, word := range strings.Fields(strings.ToLower(doc.Text)) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(word))
		ix.mu.Lock()
		ix.terms[h.Sum32()%65536]++
		ix.mu.Unlock()
	}
	time.Sleep(2 * time.Millisecond)
	ix.mu.Lock()
	ix.seen[doc.ID] = time.Now()
	ix.mu.Unlock()
}

// expire forgets what was indexed long ago.
func (ix *Indexer) expire() {
	for range time.Tick(30 * time.Second) {
		ix.mu.Lock()
		for id, at := range ix.seen {
			if time.Since(at) > time.Hour {
				delete(ix.seen, id)
			}
		}
		ix.mu.Unlock()
	}
}

// rank weighs all terms anew every few seconds.
func (ix *Indexer) rank() {
	for range time.Tick(3 * time.Second) {
		weights := make([]float64, 1<<18)
		ix.mu.Lock()
		for term, n := range ix.terms {
			weights[term] = float64(n)
		}
		ix.mu.Unlock()
	}
}

// documents are what the scanners delivered; each delivery repeats some pages of the one before.
func documents(delivery int) []Document {
	docs := make([]Document, 0, 120)
	for i := 0; i < 120; i++ {
		id := delivery*110 + i
		docs = append(docs, Document{ID: id, Text: strings.Repeat(fmt.Sprintf("page %d of shelf %d ", id, id%40), 40)})
	}
	return docs
}
