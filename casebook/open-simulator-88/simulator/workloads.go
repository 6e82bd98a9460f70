package simulator

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	appslisters "k8s.io/client-go/listers/apps/v1"
)

// workloads knows what owns the pods of a simulated cluster.
type workloads struct {
	replicaSets  appslisters.ReplicaSetLister
	statefulSets appslisters.StatefulSetLister
}

func (s *Simulation) followWorkloads() (*workloads, error) {
	factory := informers.NewSharedInformerFactory(s.client, 0)
	found := &workloads{
		replicaSets:  factory.Apps().V1().ReplicaSets().Lister(),
		statefulSets: factory.Apps().V1().StatefulSets().Lister(),
	}
	stop := wait.NeverStop
	if s.options.ScopedInformers {
		stop = s.ctx.Done()
	}
	factory.Start(stop)
	for kind, synced := range factory.WaitForCacheSync(stop) {
		if !synced {
			return nil, fmt.Errorf("%v did not sync", kind)
		}
	}
	return found, nil
}

// owner returns the id of a workload by its name.
func (w *workloads) owner(namespace, name string) (types.UID, error) {
	var set metav1.Object
	set, err := w.replicaSets.ReplicaSets(namespace).Get(name)
	if err != nil {
		var stateful *appsv1.StatefulSet
		if stateful, err = w.statefulSets.StatefulSets(namespace).Get(name); err != nil {
			return "", fmt.Errorf("no workload %s/%s", namespace, name)
		}
		set = stateful
	}
	return set.GetUID(), nil
}

// Scale replaces the pods of a workload by new ones and returns where they went.
func (s *Simulation) Scale(namespace, name string, pods []*corev1.Pod) (*Result, error) {
	followed, err := s.followWorkloads()
	if err != nil {
		return nil, err
	}
	owner, err := followed.owner(namespace, name)
	if err != nil {
		return nil, err
	}
	old, err := s.pods(name)
	if err != nil {
		return nil, err
	}
	for _, pod := range old {
		if len(pod.OwnerReferences) == 0 || pod.OwnerReferences[0].UID != owner {
			continue
		}
		err := s.client.CoreV1().Pods(namespace).Delete(context.Background(), pod.Name, metav1.DeleteOptions{})
		if err != nil {
			return nil, fmt.Errorf("remove pod %s: %w", pod.Name, err)
		}
	}
	return s.Schedule(name, pods)
}
