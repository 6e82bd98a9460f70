// Package ring is a consistent-hash ring with weights.
package ring

import (
	"hash/fnv"
	"slices"
	"strconv"
)

// Node takes part in the ring Weight times.
type Node struct {
	Name   string
	Weight int
}

type point struct {
	hash uint32
	node string
}

// Ring is immutable.
type Ring struct{ points []point }

func hash(s string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	return h.Sum32()
}

// Build lays out nodes.
func Build(nodes []Node) *Ring {
	r := &Ring{}
	for _, n := range nodes {
		for i := range n.Weight {
			r.points = append(r.points, point{hash(n.Name + "#" + strconv.Itoa(i)), n.Name})
		}
	}
	slices.SortFunc(r.points, func(a, b point) int {
		if a.hash < b.hash {
			return -1
		}
		return 1
	})
	return r
}

// Owner returns the node of key, or "" while the ring is empty.
func (r *Ring) Owner(key string) string {
	if len(r.points) == 0 {
		return ""
	}
	h := hash(key)
	i, _ := slices.BinarySearchFunc(r.points, h, func(p point, h uint32) int {
		if p.hash < h {
			return -1
		}
		return 1
	})
	return r.points[i%len(r.points)].node
}

// Size counts points.
func (r *Ring) Size() int { return len(r.points) }
