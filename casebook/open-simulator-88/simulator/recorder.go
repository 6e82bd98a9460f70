package simulator

import (
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

// quietRecorder hands events on until it is muted.
type quietRecorder struct {
	events.EventRecorder
	muted atomic.Bool
}

// from returns what makes the recorders of a scheduler's profiles.
func (r *quietRecorder) from(broadcaster events.EventBroadcasterAdapter) profile.RecorderFactory {
	return func(name string) events.EventRecorder {
		r.EventRecorder = broadcaster.NewRecorder(name)
		return r
	}
}

// Eventf implements events.EventRecorder.
func (r *quietRecorder) Eventf(
	regarding, related runtime.Object, eventtype, reason, action, note string, args ...interface{},
) {
	if !r.muted.Load() {
		r.EventRecorder.Eventf(regarding, related, eventtype, reason, action, note, args...)
	}
}
