package main

import (
	"context"
	"encoding/binary"
	"log"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

const (
	indexSize = 5 << 20
	zoneSize  = 256
)

// A Zone says where a part of the index begins and what it covers.
type Zone struct {
	offset int
	west   float64
	east   float64
}

// An Index is a file, mapped, with a table of its zones.
type Index struct {
	folder string
	every  time.Duration

	mu         sync.RWMutex
	mapped     []byte
	zones      []Zone
	generation uint64
}

// follow makes the index anew at regular times.
func (x *Index) follow(ctx context.Context) {
	tick := time.NewTicker(x.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := x.reload(); err != nil {
				log.Printf("index: %v", err)
			}
		}
	}
}

// reload writes the next generation of the index and takes it into use.
func (x *Index) reload() error {
	path := filepath.Join(x.folder, "regions.idx")
	if err := compile(path, x.generation+1); err != nil {
		return err
	}
	mapped, err := mapFile(path)
	if err != nil {
		return err
	}
	zones := survey(mapped)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.mapped = mapped
	x.zones = zones
	x.generation++
	return nil
}

func compile(path string, generation uint64) error {
	text := make([]byte, indexSize)
	for i := 0; i < len(text); i += 8 {
		binary.LittleEndian.PutUint64(text[i:], generation*uint64(i))
	}
	next := path + ".next"
	if err := os.WriteFile(next, text, 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}

func mapFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
}

// survey reads all of the index once and notes its zones.
func survey(mapped []byte) []Zone {
	zones := make([]Zone, 0, len(mapped)/zoneSize)
	for at := 0; at < len(mapped); at += zoneSize {
		first := binary.LittleEndian.Uint64(mapped[at:])
		zones = append(zones, Zone{offset: at, west: float64(first), east: float64(first + zoneSize)})
	}
	return zones
}

func (x *Index) zoneCount() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.zones)
}

func (x *Index) find(number uint64) Zone {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.zones[number%uint64(len(x.zones))]
}
