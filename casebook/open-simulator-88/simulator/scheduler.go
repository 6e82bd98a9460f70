package simulator

import (
	"context"
	"fmt"

	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

// newScheduler returns a scheduler of the Kubernetes release that this is built with: 1.20, or a later one whose New
// takes a dynamic informer factory too.
func newScheduler(
	ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory,
	recorder profile.RecorderFactory, options ...scheduler.Option,
) (*scheduler.Scheduler, error) {
	switch build := interface{}(scheduler.New).(type) {
	case func(kubernetes.Interface, informers.SharedInformerFactory, profile.RecorderFactory, <-chan struct{},
		...scheduler.Option) (*scheduler.Scheduler, error):
		return build(client, factory, recorder, ctx.Done(), options...)
	case func(kubernetes.Interface, informers.SharedInformerFactory, dynamicinformer.DynamicSharedInformerFactory,
		profile.RecorderFactory, <-chan struct{}, ...scheduler.Option) (*scheduler.Scheduler, error):
		return build(client, factory, nil, recorder, ctx.Done(), options...)
	default:
		return nil, fmt.Errorf("scheduler.New is a %T", build)
	}
}
