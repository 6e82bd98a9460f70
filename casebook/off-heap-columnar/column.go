package main

import (
	"sync"
	"syscall"
)

const columnSize = 512 << 10

// A Column is rows of eight bytes in memory of its own, with a bit per row for "null" and for "changed".
type Column struct {
	bytes   []byte
	rows    int
	nulls   []uint64
	changed []uint64
}

// Columns are the columns that are mapped.
type Columns struct {
	mu     sync.Mutex
	mapped map[*Column]struct{}
}

func (s *Columns) count() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return float64(len(s.mapped))
}

// Map reserves a column.
func (s *Columns) Map(rows int) (*Column, error) {
	bytes, err := syscall.Mmap(-1, 0, columnSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	c := &Column{bytes: bytes, rows: rows}
	bits := make([]uint64, 2*rows/64)
	c.nulls, c.changed = bits[:rows/64], bits[rows/64:]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mapped[c] = struct{}{}
	return c, nil
}

// Unmap gives the memory back.
func (s *Columns) Unmap(c *Column) error {
	s.mu.Lock()
	delete(s.mapped, c)
	s.mu.Unlock()
	bytes := c.bytes
	c.bytes = nil
	return syscall.Munmap(bytes)
}

// Fill spreads a seed over the rows.
func (c *Column) Fill(seed []byte) {
	for i := 0; i < len(c.bytes); i += len(seed) {
		copy(c.bytes[i:], seed)
	}
	for i := range c.changed {
		c.changed[i] = ^uint64(0)
	}
}

// Sum adds the rows.
func (c *Column) Sum() (sum uint64) {
	for row := 0; row < c.rows; row++ {
		if c.nulls[row/64]>>uint(row%64)&1 == 0 {
			sum += uint64(c.bytes[8*row]) | uint64(c.bytes[8*row+1])<<8
		}
	}
	return sum
}
