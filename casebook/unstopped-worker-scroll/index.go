package main

import (
	"fmt"
	"strings"
	"time"
)

var nouns = []string{"anchor", "beacon", "cleat", "davit", "fender", "halyard", "jib", "keel"}

// index is the catalogue, in shards that are merged in the background.
type index struct {
	shards [][]string
	merges chan int
}

func buildIndex(shards, size int) *index {
	ix := &index{merges: make(chan int)}
	for s := 0; s < shards; s++ {
		rows := make([]string, size)
		for i := range rows {
			rows[i] = fmt.Sprintf("%s %d-%d", nouns[(i+s)%len(nouns)], s, i)
		}
		ix.shards = append(ix.shards, rows)
		go ix.merge(s)
	}
	return ix
}

// merge keeps one shard compact.
func (ix *index) merge(shard int) {
	quiet := time.NewTimer(time.Duration(shard+3) * time.Second)
	defer quiet.Stop()
	for {
		select {
		case <-ix.merges:
		case <-quiet.C:
			quiet.Reset(9 * time.Second)
		}
	}
}

func (ix *index) page(query string, from, size int) []string {
	word := nouns[len(query)%len(nouns)]
	page := make([]string, 0, size)
	for _, row := range ix.shards[from%len(ix.shards)] {
		if strings.HasPrefix(row, word) {
			if page = append(page, row); len(page) == size {
				break
			}
		}
	}
	return page
}
