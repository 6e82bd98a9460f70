// Darkroom develops films in stages, a few at a time. It answers when a film is accepted; developing takes longer.
package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"example.com/firsts/serve"
)

type darkroom struct {
	trays chan struct{}
	mu    sync.Mutex
	done  int
}

func (d *darkroom) develop(film string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	d.trays <- struct{}{}
	defer func() { <-d.trays }()
	frames := shoot(ctx, 12)
	printed := stage(ctx, stage(ctx, frames, 3), 2)
	for range printed {
	}
	d.mu.Lock()
	d.done++
	d.mu.Unlock()
}

func shoot(ctx context.Context, n int) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for i := 0; i < n; i++ {
			select {
			case out <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

func stage(ctx context.Context, in <-chan int, workers int) <-chan int {
	out := make(chan int)
	var group sync.WaitGroup
	for i := 0; i < workers; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for frame := range in {
				time.Sleep(5 * time.Millisecond)
				select {
				case out <- frame:
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	go func() {
		group.Wait()
		close(out)
	}()
	return out
}

func main() {
	d := &darkroom{trays: make(chan struct{}, 16)}
	http.HandleFunc("/films", func(w http.ResponseWriter, r *http.Request) {
		go d.develop(r.URL.RawQuery)
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprintln(w, "accepted")
	})
	serve.Run()
}
