package inventory

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const (
	// Namespace holds the applications.
	Namespace      = "shop"
	podsPerSet     = 10
	statefulInFive = 1
)

// Sample returns the objects of a cluster for demonstrations: nodes in three zones, and applications on them.
func Sample(nodes, pods int) []runtime.Object {
	var objects []runtime.Object
	for n := 0; n < nodes; n++ {
		objects = append(objects, sampleNode(n))
	}
	for set := 0; set*podsPerSet < pods; set++ {
		app := fmt.Sprintf("app-%02d", set)
		meta := metav1.ObjectMeta{
			Name: app, Namespace: Namespace, UID: types.UID("uid-" + app), Labels: map[string]string{"app": app},
		}
		replicas := int32(podsPerSet)
		selector := &metav1.LabelSelector{MatchLabels: meta.Labels}
		owner := metav1.OwnerReference{APIVersion: "apps/v1", Name: app, UID: meta.UID}
		if set%5 < statefulInFive {
			owner.Kind = "StatefulSet"
			objects = append(objects, &appsv1.StatefulSet{
				ObjectMeta: meta,
				Spec:       appsv1.StatefulSetSpec{Replicas: &replicas, Selector: selector, ServiceName: app},
			})
		} else {
			owner.Kind = "ReplicaSet"
			objects = append(objects, &appsv1.ReplicaSet{
				ObjectMeta: meta,
				Spec:       appsv1.ReplicaSetSpec{Replicas: &replicas, Selector: selector},
			})
		}
		objects = append(objects, &corev1.Service{
			ObjectMeta: meta,
			Spec: corev1.ServiceSpec{
				Selector: meta.Labels,
				Ports:    []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromInt(8080)}},
			},
		})
		for p := 0; p < podsPerSet && set*podsPerSet+p < pods; p++ {
			pod := NewPod(fmt.Sprintf("%s-%d", app, p), app, "250m", "256Mi")
			pod.OwnerReferences = []metav1.OwnerReference{owner}
			pod.Spec.NodeName = nodeName((set*podsPerSet + p) % nodes)
			pod.Status.Phase = corev1.PodRunning
			objects = append(objects, pod)
		}
	}
	return objects
}

func nodeName(n int) string {
	return fmt.Sprintf("node-%03d", n)
}

func sampleNode(n int) *corev1.Node {
	name := nodeName(n)
	allocatable := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("8"),
		corev1.ResourceMemory: resource.MustParse("32Gi"),
		corev1.ResourcePods:   resource.MustParse("110"),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: name,
			UID:  types.UID("uid-" + name),
			Labels: map[string]string{
				corev1.LabelHostname:             name,
				corev1.LabelTopologyZone:         fmt.Sprintf("zone-%c", 'a'+n%3),
				corev1.LabelTopologyRegion:       "region-1",
				"node.meridian.example.com/pool": fmt.Sprintf("pool-%d", n%4),
			},
		},
		Spec: corev1.NodeSpec{ProviderID: "sample:///" + name},
		Status: corev1.NodeStatus{
			Allocatable: allocatable,
			Conditions: []corev1.NodeCondition{
				{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady"},
			},
			Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("10.20.%d.%d", n/250, n%250+1)},
			},
		},
	}
}

// NewPod returns a pod of an application that asks for so much.
func NewPod(name, app, cpu, memory string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:      name,
			Namespace: Namespace,
			UID:       types.UID("uid-" + name),
			Labels:    map[string]string{"app": app},
		},
		Spec: corev1.PodSpec{
			SchedulerName: corev1.DefaultSchedulerName,
			RestartPolicy: corev1.RestartPolicyAlways,
			Containers: []corev1.Container{{
				Name:  app,
				Image: "shop/" + app + ":stable",
				Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}},
				Env: []corev1.EnvVar{
					{Name: "APP", Value: app},
				},
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceCPU:    resource.MustParse(cpu),
					corev1.ResourceMemory: resource.MustParse(memory),
				}},
			}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
}
