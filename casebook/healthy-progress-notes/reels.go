package main

import "hash/adler32"

// reels keep what was done, each written by its own goroutine.
type reels struct {
	all []chan note
}

func openReels(n int) *reels {
	r := &reels{}
	for i := 0; i < n; i++ {
		reel := make(chan note, 3)
		r.all = append(r.all, reel)
		go wind(reel)
	}
	return r
}

func (r *reels) store(n note) {
	r.all[adler32.Checksum([]byte(n.clip))%uint32(len(r.all))] <- n
}

func wind(reel <-chan note) {
	length := 0
	for n := range reel {
		length += len(n.text)
	}
}
