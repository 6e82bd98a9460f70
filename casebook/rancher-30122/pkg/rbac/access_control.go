// Package rbac answers who may see what in a cluster.
package rbac

import (
	"context"
	"sort"
	"sync"

	wrbacv1 "github.com/rancher/wrangler-api/pkg/generated/controllers/rbac/v1"
	rbacv1 "k8s.io/api/rbac/v1"
)

const labelCluster = "acp.local/cluster"

// AccessControl follows the bindings of one cluster.
type AccessControl struct {
	cluster string

	mu       sync.RWMutex
	bindings map[string]binding
}

type binding struct {
	role     string
	subjects []rbacv1.Subject
}

// NewAccessControl returns an access control that is kept up to date until ctx ends.
func NewAccessControl(ctx context.Context, cluster string, bindings wrbacv1.Interface) *AccessControl {
	a := &AccessControl{cluster: cluster, bindings: map[string]binding{}}
	bindings.RoleBinding().OnChange(ctx, "access-"+cluster, a.onRoleBinding)
	bindings.ClusterRoleBinding().OnChange(ctx, "access-"+cluster, a.onClusterRoleBinding)
	return a
}

// Roles returns the roles of a user.
func (a *AccessControl) Roles(user string) []string {
	a.mu.RLock()
	defer a.mu.RUnlock()
	var roles []string
	for _, b := range a.bindings {
		for _, subject := range b.subjects {
			if subject.Kind == rbacv1.UserKind && subject.Name == user {
				roles = append(roles, b.role)
			}
		}
	}
	sort.Strings(roles)
	return roles
}

func (a *AccessControl) onRoleBinding(key string, rb *rbacv1.RoleBinding) (*rbacv1.RoleBinding, error) {
	if rb == nil {
		a.remove("r/" + key)
	} else if a.cluster == "" || rb.Labels[labelCluster] == a.cluster {
		a.put("r/"+key, binding{rb.RoleRef.Name, rb.Subjects})
	}
	return rb, nil
}

func (a *AccessControl) onClusterRoleBinding(key string, crb *rbacv1.ClusterRoleBinding) (*rbacv1.ClusterRoleBinding, error) {
	if crb == nil {
		a.remove("c/" + key)
	} else {
		a.put("c/"+key, binding{crb.RoleRef.Name, crb.Subjects})
	}
	return crb, nil
}

func (a *AccessControl) put(key string, b binding) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bindings[key] = b
}

func (a *AccessControl) remove(key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.bindings, key)
}
