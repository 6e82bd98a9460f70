package main

import (
	"fmt"
	"log"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const teams = 12

// resources are what the pages show of each team.
var resources = []string{
	"pods", "services", "endpoints", "configmaps", "secrets", "events", "replicationcontrollers",
}

var (
	objects = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "adminplatform_objects",
		Help: "Objects in the local copy, by resource.",
	}, []string{"resource"})
	resyncFailures = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "adminplatform_resync_failures_total",
		Help: "Listings that did not come through, by resource.",
	}, []string{"resource"})
)

func init() {
	prometheus.MustRegister(objects, resyncFailures)
}

// copies is the cluster as the platform saw it last, by path.
type copies struct {
	mu    sync.RWMutex
	items map[string][]item
	asOf  map[string]time.Time
}

func newCopies() *copies {
	return &copies{items: map[string][]item{}, asOf: map[string]time.Time{}}
}

func (c *copies) replace(path string, items []item) {
	c.mu.Lock()
	defer c.mu.Unlock()
	objects.WithLabelValues(resourceOf(path)).Add(float64(len(items) - len(c.items[path])))
	c.items[path] = items
	c.asOf[path] = time.Now()
}

// summary counts the objects of each resource.
func (c *copies) summary() map[string]int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	counts := map[string]int{}
	for path, items := range c.items {
		counts[resourceOf(path)] += len(items)
	}
	return counts
}

func resourceOf(path string) string {
	return path[strings.LastIndexByte(path, '/')+1:]
}

// everything returns the path of each listing that a full copy of the cluster takes.
func everything() []string {
	paths := []string{"/api/v1/nodes"}
	for team := 0; team < teams; team++ {
		for _, resource := range resources {
			paths = append(paths, fmt.Sprintf("/api/v1/namespaces/team-%02d/%s", team, resource))
		}
	}
	return paths
}

// resyncForever lists everything once per interval, one listing after the other but without waiting for the answers.
func resyncForever(client *clusterClient, copies *copies, every time.Duration) {
	paths := everything()
	ticker := time.NewTicker(every / time.Duration(len(paths)))
	for at := 0; ; at++ {
		<-ticker.C
		go resync(client, copies, paths[at%len(paths)])
	}
}

func resync(client *clusterClient, copies *copies, path string) {
	items, err := client.list(path)
	if err != nil {
		resyncFailures.WithLabelValues(resourceOf(path)).Inc()
		log.Printf("resync of %s failed: %v", path, err)
		return
	}
	copies.replace(path, items)
}
