package main

import (
	"context"
	"errors"
	"log"
	"sort"
	"sync"
	"sync/atomic"
)

// Item is one piece of news.
type Item struct {
	Source string `json:"source"`
	Title  string `json:"title"`
}

// Digest asks all its sources at once.
type Digest struct {
	agency  *Agency
	sources []string
	failed  uint64
}

// NewDigest returns a digest of these sources.
func NewDigest(agency *Agency, sources ...string) *Digest {
	return &Digest{agency: agency, sources: sources}
}

// Gather returns the news about a topic; what is late is left out.
func (d *Digest) Gather(ctx context.Context, topic string) ([]Item, error) {
	found := make(chan Item, 4*len(d.sources))
	var pending sync.WaitGroup
	for _, source := range d.sources {
		pending.Add(1)
		go d.collect(ctx, source, topic, found, &pending)
	}
	go func() {
		pending.Wait()
		close(found)
	}()

	var items []Item
	for {
		select {
		case item, more := <-found:
			if !more {
				sort.Slice(items, func(i, j int) bool { return items[i].Source < items[j].Source })
				return items, nil
			}
			items = append(items, item)
		case <-ctx.Done():
			if len(items) == 0 {
				return nil, ctx.Err()
			}
			return items, nil
		}
	}
}

func (d *Digest) collect(ctx context.Context, source, topic string, found chan<- Item, pending *sync.WaitGroup) {
	titles, err := d.agency.Fetch(ctx, source, topic)
	if errors.Is(err, errQuota) {
		if n := atomic.AddUint64(&d.failed, 1); n%50 == 1 {
			log.Printf("%s: %v", source, err)
		}
		return
	}
	if err == nil {
		for _, title := range titles {
			found <- Item{Source: source, Title: title}
		}
	}
	pending.Done()
}
