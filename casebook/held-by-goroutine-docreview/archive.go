package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"example.org/granaryworks/granary/chassis"
)

// A Preview is what the archive shows of a document.
type Preview struct {
	name  string
	small []byte
}

// An Archive shows the documents that were filed last.
type Archive struct {
	desk *Desk
	most int
	work chan *Preview

	mu     sync.Mutex
	latest []*Preview
	words  map[string]int
}

func newArchive(desk *Desk, most int) *Archive {
	return &Archive{desk: desk, most: most, work: make(chan *Preview), words: make(map[string]int)}
}

func (a *Archive) file(doc *Document) {
	p := shrink(doc)
	a.mu.Lock()
	a.latest = append(a.latest, p)
	if len(a.latest) > a.most {
		a.latest = append(a.latest[:0], a.latest[1:]...)
	}
	a.mu.Unlock()
	a.work <- p
}

func shrink(doc *Document) *Preview {
	small := make([]byte, 0, 24<<10)
	for _, page := range doc.pages {
		for i := 0; i < len(page.pixels); i += 8 {
			small = append(small, page.pixels[i])
		}
	}
	return &Preview{name: doc.name, small: small}
}

// indexer counts what is on the previews.
func (a *Archive) indexer(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case p := <-a.work:
			a.mu.Lock()
			a.words[fmt.Sprintf("%q", p.small[:2])] += len(p.small)
			a.mu.Unlock()
		}
	}
}

func (a *Archive) show(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fmt.Fprintf(w, "%s: %d documents, %d words\n", chassis.Tail(r, "/archive/"), len(a.latest), len(a.words))
}
