// Package inventory keeps the current picture of the production cluster.
package inventory

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// Resources is what a simulation needs to know of a cluster.
type Resources struct {
	Nodes        []*corev1.Node
	Pods         []*corev1.Pod
	Services     []*corev1.Service
	ReplicaSets  []*appsv1.ReplicaSet
	StatefulSets []*appsv1.StatefulSet
}

// Inventory follows one cluster by informers.
type Inventory struct {
	client       *fake.Clientset
	nodes        corelisters.NodeLister
	pods         corelisters.PodLister
	services     corelisters.ServiceLister
	replicaSets  appslisters.ReplicaSetLister
	statefulSets appslisters.StatefulSetLister
}

// Watch starts to follow a cluster until the context ends.
func Watch(ctx context.Context, seed []runtime.Object) (*Inventory, error) {
	client := fake.NewSimpleClientset(seed...)
	factory := informers.NewSharedInformerFactory(client, 10*time.Minute)
	inventory := &Inventory{
		client:       client,
		nodes:        factory.Core().V1().Nodes().Lister(),
		pods:         factory.Core().V1().Pods().Lister(),
		services:     factory.Core().V1().Services().Lister(),
		replicaSets:  factory.Apps().V1().ReplicaSets().Lister(),
		statefulSets: factory.Apps().V1().StatefulSets().Lister(),
	}
	factory.Core().V1().Nodes().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, _ interface{}) { heartbeats.Inc() },
	})
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return nil, fmt.Errorf("%v did not sync", kind)
		}
	}
	go wait.Until(inventory.heartbeat(), 2*time.Second, ctx.Done())
	return inventory, nil
}

// heartbeat renews the condition of one node after the other.
func (i *Inventory) heartbeat() func() {
	next := 0
	return func() {
		nodes, err := i.nodes.List(labels.Everything())
		if err != nil || len(nodes) == 0 {
			return
		}
		node := nodes[next%len(nodes)].DeepCopy()
		next++
		for at := range node.Status.Conditions {
			node.Status.Conditions[at].LastHeartbeatTime = metav1.Now()
		}
		_ = i.client.Tracker().Update(corev1.SchemeGroupVersion.WithResource("nodes"), node, "")
	}
}

// Snapshot returns a copy of the cluster as it is now.
func (i *Inventory) Snapshot() (Resources, error) {
	var copied Resources
	nodes, err := i.nodes.List(labels.Everything())
	if err != nil {
		return copied, fmt.Errorf("list nodes: %w", err)
	}
	for _, node := range nodes {
		copied.Nodes = append(copied.Nodes, node.DeepCopy())
	}
	pods, err := i.pods.List(labels.Everything())
	if err != nil {
		return copied, fmt.Errorf("list pods: %w", err)
	}
	for _, pod := range pods {
		if pod.DeletionTimestamp == nil && pod.Status.Phase == corev1.PodRunning {
			copied.Pods = append(copied.Pods, pod.DeepCopy())
		}
	}
	services, err := i.services.List(labels.Everything())
	if err != nil {
		return copied, fmt.Errorf("list services: %w", err)
	}
	for _, service := range services {
		copied.Services = append(copied.Services, service.DeepCopy())
	}
	replicaSets, err := i.replicaSets.List(labels.Everything())
	if err != nil {
		return copied, fmt.Errorf("list replica sets: %w", err)
	}
	for _, set := range replicaSets {
		copied.ReplicaSets = append(copied.ReplicaSets, set.DeepCopy())
	}
	statefulSets, err := i.statefulSets.List(labels.Everything())
	if err != nil {
		return copied, fmt.Errorf("list stateful sets: %w", err)
	}
	for _, set := range statefulSets {
		copied.StatefulSets = append(copied.StatefulSets, set.DeepCopy())
	}
	return copied, nil
}
