// Scribe writes pages from buffers that are lent and given back, and files them in batches, when full or after a while.
package main

import (
	"bytes"
	"fmt"
	"net/http"
	"sync"
	"time"

	"example.com/firsts/serve"
)

type archive struct {
	pages chan []byte
	mu    sync.Mutex
	last  [][]byte // what was filed last
	filed int
}

func (a *archive) file() {
	var batch [][]byte
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case page := <-a.pages:
			batch = append(batch, page)
			if len(batch) < 32 {
				continue
			}
		case <-tick.C:
			if len(batch) == 0 {
				continue
			}
		}
		a.mu.Lock()
		a.last, a.filed = batch, a.filed+len(batch)
		a.mu.Unlock()
		batch = nil
	}
}

func main() {
	buffers := sync.Pool{New: func() any { return bytes.NewBuffer(make([]byte, 0, 64<<10)) }}
	a := &archive{pages: make(chan []byte, 8)}
	go a.file()
	http.HandleFunc("/pages", func(w http.ResponseWriter, r *http.Request) {
		buffer := buffers.Get().(*bytes.Buffer)
		defer buffers.Put(buffer)
		buffer.Reset()
		for i := 0; i < 200; i++ {
			fmt.Fprintf(buffer, "line %d of %s\n", i, r.URL.RawQuery)
		}
		a.pages <- bytes.Clone(buffer.Bytes())
		fmt.Fprintln(w, buffer.Len())
	})
	http.HandleFunc("/filed", func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		fmt.Fprintln(w, a.filed)
	})
	serve.Run()
}
