// Package clustermanager keeps a record of each downstream cluster that runs.
package clustermanager

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/pkg/errors"
	"github.com/sirupsen/logrus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	v3 "example.com/nanhai/acp/pkg/apis/management/v3"
	"example.com/nanhai/acp/pkg/config"
	"example.com/nanhai/acp/pkg/rbac"
)

// Options of a Manager.
type Options struct {
	// DialTimeout bounds every request to a downstream cluster.
	DialTimeout time.Duration
	// AccessControlOnStart builds the access control of a cluster when its
	// controllers start instead of with its record.
	AccessControlOnStart bool
}

// Manager starts and stops the controllers of downstream clusters.
type Manager struct {
	options       Options
	scaledContext *config.ScaledContext
	controllers   sync.Map
	accessControl *rbac.AccessControl
}

type record struct {
	sync.Mutex
	clusterRec    *v3.Cluster
	cluster       *config.UserContext
	accessControl *rbac.AccessControl
	started       bool
	owner         bool
	ctx           context.Context
	cancel        context.CancelFunc
}

// NewManager returns a manager; the management plane's own bindings are followed at once.
func NewManager(ctx context.Context, scaled *config.ScaledContext, options Options) *Manager {
	return &Manager{
		options:       options,
		scaledContext: scaled,
		accessControl: rbac.NewAccessControl(ctx, "", scaled.RBACw),
	}
}

// Start starts the controllers of a cluster unless they run.
func (m *Manager) Start(ctx context.Context, cluster *v3.Cluster, clusterOwner bool) error {
	if cluster.DeletionTimestamp != nil {
		return nil
	}
	_, err := m.start(ctx, cluster, clusterOwner)
	return err
}

// Stop ends the controllers of a cluster.
func (m *Manager) Stop(uid types.UID) {
	obj, ok := m.controllers.Load(uid)
	if !ok {
		return
	}
	obj.(*record).cancel()
	m.controllers.Delete(uid)
}

// AccessControl returns the access control of a cluster that runs.
func (m *Manager) AccessControl(uid types.UID) (*rbac.AccessControl, bool) {
	obj, ok := m.controllers.Load(uid)
	if !ok {
		return nil, false
	}
	r := obj.(*record)
	r.Lock()
	defer r.Unlock()
	return r.accessControl, r.started
}

func (m *Manager) start(ctx context.Context, cluster *v3.Cluster, clusterOwner bool) (*record, error) {
	obj, ok := m.controllers.Load(cluster.UID)
	if ok {
		if !m.changed(obj.(*record), cluster, clusterOwner) {
			return obj.(*record), m.startController(obj.(*record), clusterOwner)
		}
		m.Stop(cluster.UID)
	}
	clusterRecord, err := m.toRecord(ctx, cluster)
	if err != nil {
		m.markUnavailable(cluster)
		return nil, err
	}
	obj, _ = m.controllers.LoadOrStore(cluster.UID, clusterRecord)
	if err := m.startController(obj.(*record), clusterOwner); err != nil {
		m.markUnavailable(cluster)
		return nil, err
	}
	return obj.(*record), nil
}

func (m *Manager) changed(r *record, cluster *v3.Cluster, clusterOwner bool) bool {
	existing := r.clusterRec
	return existing.Status.APIEndpoint != cluster.Status.APIEndpoint ||
		existing.Status.ServiceAccountToken != cluster.Status.ServiceAccountToken ||
		(r.started && r.owner != clusterOwner)
}

func (m *Manager) markUnavailable(cluster *v3.Cluster) {
	logrus.Debugf("cluster %s is unavailable", cluster.Name)
	m.Stop(cluster.UID)
}

func (m *Manager) toRecord(ctx context.Context, cluster *v3.Cluster) (*record, error) {
	kubeConfig, err := m.toRESTConfig(cluster)
	if err != nil {
		return nil, err
	}
	clusterContext, err := config.NewUserContext(m.scaledContext, kubeConfig, cluster.Name)
	if err != nil {
		return nil, err
	}
	r := &record{
		cluster:    clusterContext,
		clusterRec: cluster,
	}
	if !m.options.AccessControlOnStart {
		r.accessControl = rbac.NewAccessControl(ctx, cluster.Name, clusterContext.RBACw)
	}
	r.ctx, r.cancel = context.WithCancel(ctx)
	return r, nil
}

func (m *Manager) toRESTConfig(cluster *v3.Cluster) (*rest.Config, error) {
	if cluster.Status.APIEndpoint == "" || cluster.Status.ServiceAccountToken == "" {
		return nil, fmt.Errorf("cluster %s has no credentials", cluster.Name)
	}
	return &rest.Config{
		Host:            cluster.Status.APIEndpoint,
		BearerToken:     cluster.Status.ServiceAccountToken,
		TLSClientConfig: rest.TLSClientConfig{Insecure: true},
		Timeout:         m.options.DialTimeout,
	}, nil
}

func (m *Manager) startController(r *record, clusterOwner bool) error {
	// A namespace that is not there is an answer too: the API is up.
	_, err := r.cluster.K8sClient.CoreV1().Namespaces().Get("kube-system", metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return errors.Wrapf(err, "failed to contact server")
	}
	r.Lock()
	defer r.Unlock()
	if r.started {
		return nil
	}
	if err := m.doStart(r, clusterOwner); err != nil {
		return err
	}
	r.started, r.owner = true, clusterOwner
	return nil
}

func (m *Manager) doStart(r *record, clusterOwner bool) error {
	if r.accessControl == nil {
		r.accessControl = rbac.NewAccessControl(r.ctx, r.cluster.ClusterName, r.cluster.RBACw)
	}
	done := make(chan error, 1)
	go func() {
		done <- r.cluster.Start(r.ctx)
	}()
	select {
	case <-time.After(30 * time.Second):
		r.cancel()
		return fmt.Errorf("timeout syncing controllers")
	case err := <-done:
		if err == nil {
			logrus.Infof("Starting cluster agent for %s [owner=%v]", r.cluster.ClusterName, clusterOwner)
		}
		return err
	}
}
