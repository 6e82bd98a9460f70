package inventory

import (
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

var heartbeats = metrics.NewCounter(&metrics.CounterOpts{
	Name:           "clustersim_node_updates_total",
	Help:           "Node updates seen in the followed cluster.",
	StabilityLevel: metrics.ALPHA,
})

func init() {
	legacyregistry.MustRegister(heartbeats)
}
