// Package cluster follows the membership by gossip and keeps the ring up to date.
package cluster

import (
	"encoding/json"
	"io"
	"log"
	"sync/atomic"
	"time"

	"github.com/hashicorp/memberlist"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"git.solvane.io/edge/ringd/internal/ring"
)

var (
	rebuilds = promauto.NewCounterVec(prometheus.CounterOpts{
		Name: "ringd_rebuilds_total", Help: "Ring layouts by cause.",
	}, []string{"cause"})
	points = promauto.NewGauge(prometheus.GaugeOpts{Name: "ringd_points", Help: "Points in the ring."})
)

// Meta is gossiped with each node.
type Meta struct {
	Zone   string `json:"z"`
	Weight int    `json:"w"`
}

// Config of the local member.
type Config struct {
	Name   string
	Port   int
	Zone   string
	Weight int
}

// Cluster is the local view.
type Cluster struct {
	list  *memberlist.Memberlist
	meta  []byte
	ring  atomic.Pointer[ring.Ring]
	dirty chan string
}

// Start joins nobody yet: the cache nodes find ringd by its address.
func Start(cfg Config) (*Cluster, error) {
	meta, err := json.Marshal(Meta{Zone: cfg.Zone, Weight: cfg.Weight})
	if err != nil {
		return nil, err
	}
	c := &Cluster{meta: meta, dirty: make(chan string, 1)}
	c.ring.Store(ring.Build(nil))
	mc := memberlist.DefaultLocalConfig()
	mc.Name, mc.BindAddr, mc.BindPort, mc.AdvertisePort = cfg.Name, "127.0.0.1", cfg.Port, cfg.Port
	mc.Events, mc.Delegate, mc.LogOutput = c, c, io.Discard
	if c.list, err = memberlist.Create(mc); err != nil {
		return nil, err
	}
	go c.follow()
	return c, nil
}

// follow collects joins and leaves of half a second into one layout.
func (c *Cluster) follow() {
	for cause := range c.dirty {
		time.Sleep(500 * time.Millisecond)
		c.rebuild(cause)
	}
}

func (c *Cluster) rebuild(cause string) {
	var nodes []ring.Node
	for _, n := range c.Members() {
		var m Meta
		if err := json.Unmarshal(n.Meta, &m); err != nil {
			log.Printf("node %s: %v", n.Name, err)
			continue
		}
		nodes = append(nodes, ring.Node{Name: n.Name, Weight: m.Weight})
	}
	r := ring.Build(nodes)
	c.ring.Store(r)
	rebuilds.WithLabelValues(cause).Inc()
	points.Set(float64(r.Size()))
}

func (c *Cluster) later(cause string) {
	select {
	case c.dirty <- cause:
	default:
	}
}

// Members lists the nodes that are alive.
func (c *Cluster) Members() []*memberlist.Node {
	return c.list.Members()
}

// Owner returns the node of key.
func (c *Cluster) Owner(key string) string { return c.ring.Load().Owner(key) }

// NotifyJoin implements memberlist.EventDelegate.
func (c *Cluster) NotifyJoin(*memberlist.Node) { c.later("join") }

// NotifyLeave implements memberlist.EventDelegate.
func (c *Cluster) NotifyLeave(*memberlist.Node) { c.later("leave") }

// NotifyUpdate implements memberlist.EventDelegate. A node that drains sets its weight
// to zero and wants to be out of the ring at once.
func (c *Cluster) NotifyUpdate(n *memberlist.Node) {
	var m Meta
	if json.Unmarshal(n.Meta, &m) == nil && m.Weight == 0 {
		c.rebuild("drain")
		return
	}
	c.later("update")
}

// NodeMeta implements memberlist.Delegate.
func (c *Cluster) NodeMeta(int) []byte { return c.meta }

// NotifyMsg implements memberlist.Delegate.
func (c *Cluster) NotifyMsg([]byte) {}

// GetBroadcasts implements memberlist.Delegate.
func (c *Cluster) GetBroadcasts(int, int) [][]byte { return nil }

// LocalState implements memberlist.Delegate.
func (c *Cluster) LocalState(bool) []byte { return nil }

// MergeRemoteState implements memberlist.Delegate.
func (c *Cluster) MergeRemoteState([]byte, bool) {}
