package main

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// record is an object as the platform asks for it: who it is and a few words about how it is.
type record struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metav1.ObjectMeta `json:"metadata"`
	Status          map[string]string `json:"status,omitempty"`
}

// inventory is the cluster's state; it is loaded once and only read afterwards.
type inventory struct {
	objects map[string]map[string][]*record // resource, namespace
	byName  map[string]*record
}

const (
	nodes = 30
	teams = 12
)

var namespacedKinds = map[string]struct {
	kind  string
	count int
}{
	"pods":                   {"Pod", 420},
	"services":               {"Service", 360},
	"endpoints":              {"Endpoints", 360},
	"configmaps":             {"ConfigMap", 380},
	"secrets":                {"Secret", 400},
	"events":                 {"Event", 430},
	"replicationcontrollers": {"ReplicationController", 320},
}

func newInventory() *inventory {
	inv := &inventory{objects: map[string]map[string][]*record{}, byName: map[string]*record{}}
	for n := 1; n <= nodes; n++ {
		inv.add("nodes", "", "Node", n)
	}
	for resource, of := range namespacedKinds {
		for n := 1; n <= of.count; n++ {
			inv.add(resource, fmt.Sprintf("team-%02d", n%teams), of.kind, n)
		}
	}
	return inv
}

func (i *inventory) add(resource, namespace, kind string, n int) {
	r := &record{
		TypeMeta: metav1.TypeMeta{Kind: kind, APIVersion: "v1"},
		Metadata: metav1.ObjectMeta{
			Name:            fmt.Sprintf("%s-%04d", resource, n),
			Namespace:       namespace,
			UID:             types.UID(fmt.Sprintf("%08x-0000-4000-8000-%012x", n, n*7919)),
			ResourceVersion: fmt.Sprint(40_000 + n),
			Labels:          map[string]string{"app": fmt.Sprintf("app-%02d", n%40), "site": "us-east"},
		},
		Status: map[string]string{"phase": "Running", "node": fmt.Sprintf("nodes-%04d", 1+n%nodes)},
	}
	if i.objects[resource] == nil {
		i.objects[resource] = map[string][]*record{}
	}
	i.objects[resource][namespace] = append(i.objects[resource][namespace], r)
	i.byName[resource+"/"+r.Metadata.Name] = r
}

func (i *inventory) resources() []string {
	var names []string
	for resource := range i.objects {
		names = append(names, resource)
	}
	return names
}

func (i *inventory) all(resource, namespace string) []*record { return i.objects[resource][namespace] }

func (i *inventory) one(resource, name string) (*record, bool) {
	r, ok := i.byName[resource+"/"+name]
	return r, ok
}
