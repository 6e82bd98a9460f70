package main

import "time"

// A Spool keeps labels on the file server until they are printed.
type Spool struct {
	commit time.Duration
}

// NewSpool takes the given time to commit a file.
func NewSpool(commit time.Duration) *Spool {
	return &Spool{commit: commit}
}

// A SpoolFile is one label on the file server.
type SpoolFile struct {
	spool  *Spool
	number int64
}

// Create opens a file for the label.
func (s *Spool) Create(number int64) *SpoolFile {
	return &SpoolFile{spool: s, number: number}
}

// Close waits until the file server has committed the file.
func (f *SpoolFile) Close() error {
	return f.spool.sync(f.number)
}

func (s *Spool) sync(number int64) error {
	time.Sleep(s.commit)
	return nil
}
