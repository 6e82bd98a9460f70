package simulator

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"

	"example.com/meridian/clustersim/inventory"
)

var podsResource = corev1.SchemeGroupVersion.WithResource("pods")

// newCluster returns an empty cluster in memory, and a channel that is closed once its pods are watched.
func newCluster() (*fake.Clientset, <-chan struct{}) {
	client := fake.NewSimpleClientset()
	tracker := client.Tracker()

	watching := make(chan struct{})
	var once sync.Once
	client.PrependWatchReactor("pods", func(action k8stesting.Action) (bool, watch.Interface, error) {
		watcher, err := tracker.Watch(action.GetResource(), action.GetNamespace())
		once.Do(func() { close(watching) })
		return true, watcher, err
	})
	client.PrependReactor("create", "pods", func(action k8stesting.Action) (bool, runtime.Object, error) {
		create, ok := action.(k8stesting.CreateAction)
		if !ok || action.GetSubresource() != "binding" {
			return false, nil, nil
		}
		binding, ok := create.GetObject().(*corev1.Binding)
		if !ok {
			return true, nil, fmt.Errorf("%T is no binding", create.GetObject())
		}
		found, err := tracker.Get(podsResource, action.GetNamespace(), binding.Name)
		if err != nil {
			return true, nil, err
		}
		pod := found.(*corev1.Pod).DeepCopy()
		pod.Spec.NodeName = binding.Target.Name
		pod.Status.Phase = corev1.PodRunning
		return true, binding, tracker.Update(podsResource, pod, action.GetNamespace())
	})
	return client, watching
}

// syncCluster copies the resources of a cluster into the simulation.
func (s *Simulation) syncCluster(cluster inventory.Resources) error {
	ctx := context.Background()
	for _, node := range cluster.Nodes {
		if _, err := s.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("copy node: %w", err)
		}
	}
	for _, service := range cluster.Services {
		_, err := s.client.CoreV1().Services(service.Namespace).Create(ctx, service, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("copy service: %w", err)
		}
	}
	for _, set := range cluster.ReplicaSets {
		if _, err := s.client.AppsV1().ReplicaSets(set.Namespace).Create(ctx, set, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("copy replica set: %w", err)
		}
	}
	for _, set := range cluster.StatefulSets {
		if _, err := s.client.AppsV1().StatefulSets(set.Namespace).Create(ctx, set, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("copy stateful set: %w", err)
		}
	}
	for _, pod := range cluster.Pods {
		if _, err := s.client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("copy pod: %w", err)
		}
	}
	return nil
}
