// Package config builds the contexts that controllers work in: one for the
// management plane and one for each downstream cluster.
package config

import (
	"context"
	"time"

	"github.com/rancher/wrangler-api/pkg/generated/controllers/rbac"
	rbacv1 "github.com/rancher/wrangler-api/pkg/generated/controllers/rbac/v1"
	"github.com/rancher/wrangler/pkg/start"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	v3 "example.com/nanhai/acp/pkg/apis/management/v3"
)

// ScaledContext is the management plane.
type ScaledContext struct {
	K8sClient     kubernetes.Interface
	Informers     informers.SharedInformerFactory
	ClusterLister cache.GenericLister
	RBACw         rbacv1.Interface

	rbac     *rbac.Factory
	clusters dynamicinformer.DynamicSharedInformerFactory
	syncs    []cache.InformerSynced
}

// NewScaledContext returns the context of the management plane.
func NewScaledContext(config *rest.Config) (*ScaledContext, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	dyn, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	s := &ScaledContext{
		K8sClient: client,
		Informers: informers.NewSharedInformerFactory(client, 2*time.Hour),
		clusters:  dynamicinformer.NewDynamicSharedInformerFactory(dyn, 2*time.Hour),
	}
	s.rbac = rbac.NewFactory(client, s.Informers)
	s.RBACw = s.rbac.Rbac().V1()
	clusters := s.clusters.ForResource(v3.ClusterResource)
	s.ClusterLister = clusters.Lister()
	s.syncs = append(s.syncs, clusters.Informer().HasSynced)
	return s, nil
}

// Start starts the informers and controllers of the management plane.
func (s *ScaledContext) Start(ctx context.Context) error {
	s.clusters.Start(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), s.syncs...)
	return start.All(ctx, 5, s.rbac)
}

// UserContext is one downstream cluster.
type UserContext struct {
	ClusterName string
	K8sClient   kubernetes.Interface
	RBACw       rbacv1.Interface

	rbac *rbac.Factory
}

// NewUserContext returns the context of a downstream cluster. Its bindings are
// kept in the management plane, so it shares the informers of that.
func NewUserContext(scaled *ScaledContext, config *rest.Config, clusterName string) (*UserContext, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	factory := rbac.NewFactory(scaled.K8sClient, scaled.Informers)
	return &UserContext{
		ClusterName: clusterName,
		K8sClient:   client,
		RBACw:       factory.Rbac().V1(),
		rbac:        factory,
	}, nil
}

// Start starts the controllers of the cluster.
func (u *UserContext) Start(ctx context.Context) error {
	return start.All(ctx, 2, u.rbac)
}
