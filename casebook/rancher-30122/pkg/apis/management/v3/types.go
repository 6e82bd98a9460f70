// Package v3 holds the management types that the server reads.
package v3

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ClusterResource is where clusters are served.
var ClusterResource = schema.GroupVersionResource{Group: "management.acp.local", Version: "v3", Resource: "clusters"}

// Cluster is a downstream cluster.
type Cluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ClusterSpec   `json:"spec"`
	Status            ClusterStatus `json:"status"`
}

// ClusterSpec is what an administrator asked for.
type ClusterSpec struct {
	DisplayName string `json:"displayName"`
	Site        string `json:"site"`
}

// ClusterStatus is what provisioning has achieved.
type ClusterStatus struct {
	APIEndpoint         string             `json:"apiEndpoint"`
	ServiceAccountToken string             `json:"serviceAccountToken"`
	Conditions          []ClusterCondition `json:"conditions"`
}

// ClusterCondition is one aspect of the status.
type ClusterCondition struct {
	Type   string `json:"type"`
	Status string `json:"status"`
}

// Provisioned tells whether the cluster was set up once.
func (c *Cluster) Provisioned() bool {
	for _, condition := range c.Status.Conditions {
		if condition.Type == "Provisioned" {
			return condition.Status == "True"
		}
	}
	return false
}

// FromObject converts what the informer holds.
func FromObject(obj runtime.Object) (*Cluster, error) {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("unexpected %T in the list of clusters", obj)
	}
	cluster := &Cluster{}
	return cluster, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, cluster)
}
