// Package spool saves what could not be sent before the sidecar ends.
package spool

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
)

// Spool is a directory.
type Spool struct {
	dir string
	n   atomic.Int64
}

// New returns a spool in dir, which is made on first use.
func New(dir string) *Spool { return &Spool{dir: dir} }

// Save writes one body.
func (s *Spool) Save(container string, body []byte) error {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, fmt.Sprintf("%s-%06d", container, s.n.Add(1))), body, 0o644)
}
