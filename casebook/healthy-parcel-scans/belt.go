package main

import "time"

type scan struct {
	parcel string
	by     string
	at     time.Time
}

// belt carries scans to the sorter; what does not fit on it waits beside it.
type belt struct {
	scans chan scan
}

func newBelt(length int) *belt {
	return &belt{scans: make(chan scan, length)}
}

func (b *belt) put(s scan) {
	b.scans <- s
}
