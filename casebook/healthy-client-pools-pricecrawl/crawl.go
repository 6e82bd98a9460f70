package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// Crawler keeps a client for every shop, so that one slow shop does not use up the connections of the others.
type Crawler struct {
	mall    *Mall
	clients []*http.Client
}

// NewCrawler returns a crawler of a mall.
func NewCrawler(m *Mall) *Crawler {
	c := &Crawler{mall: m}
	for range m.shops {
		c.clients = append(c.clients, &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}})
	}
	return c
}

// Crawl reads some lists of every shop at once and returns how many bytes of prices there were.
func (c *Crawler) Crawl(ctx context.Context, seed int) int {
	var (
		all   sync.WaitGroup
		total int64
	)
	for s := range c.mall.shops {
		for list := 0; list < 3; list++ {
			all.Add(1)
			go func(s, list int) {
				defer all.Done()
				n, err := c.read(ctx, s, fmt.Sprintf("/prices/%d-%d", seed, list))
				if err == nil {
					atomic.AddInt64(&total, n)
				}
			}(s, list)
		}
	}
	all.Wait()
	return int(total)
}

func (c *Crawler) read(ctx context.Context, s int, path string) (int64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.mall.shops[s]+path, nil)
	if err != nil {
		return 0, err
	}
	resp, err := c.clients[s].Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return io.Copy(io.Discard, resp.Body)
}

// Mirror copies whole catalogues, which takes a while.
type Mirror struct {
	mall   *Mall
	client *http.Client
	bytes  int64
}

// NewMirror returns a mirror of a mall.
func NewMirror(m *Mall) *Mirror {
	return &Mirror{mall: m, client: &http.Client{Transport: &http.Transport{DisableCompression: true}}}
}

// Bytes is how much was copied.
func (m *Mirror) Bytes() float64 { return float64(atomic.LoadInt64(&m.bytes)) }

// Start copies the catalogue of a shop in the background.
func (m *Mirror) Start(n int) { go m.copy(m.mall.shops[n%len(m.mall.shops)]) }

func (m *Mirror) copy(shop string) {
	resp, err := m.client.Get(shop + "/catalogue")
	if err != nil {
		return
	}
	defer resp.Body.Close()
	page := make([]byte, 32<<10)
	for {
		n, err := resp.Body.Read(page)
		atomic.AddInt64(&m.bytes, int64(n))
		if err != nil {
			return
		}
	}
}
