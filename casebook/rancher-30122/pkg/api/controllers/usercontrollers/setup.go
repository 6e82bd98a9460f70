// Package usercontrollers decides which server runs the controllers of which cluster.
package usercontrollers

import (
	"context"
	"fmt"
	"hash/crc32"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/pkg/errors"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/sirupsen/logrus"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	v3 "example.com/nanhai/acp/pkg/apis/management/v3"
	"example.com/nanhai/acp/pkg/clustermanager"
	"example.com/nanhai/acp/pkg/config"
)

// Peers are the servers of one installation.
type Peers struct {
	SelfID string
	IDs    []string
}

// Intervals of the loop over all clusters.
type Intervals struct {
	Sync  time.Duration // after a round that went well
	Retry time.Duration // before every round
}

type userControllersController struct {
	sync.Mutex
	ctx           context.Context
	clusterLister cache.GenericLister
	manager       *clustermanager.Manager
	peers         Peers
	rounds        *prometheus.CounterVec
	owned         *prometheus.GaugeVec
}

// Register starts the loop that starts and stops the clusters' controllers.
func Register(ctx context.Context, scaled *config.ScaledContext, manager *clustermanager.Manager, self Peers, every Intervals, registry prometheus.Registerer) {
	u := &userControllersController{
		ctx:           ctx,
		clusterLister: scaled.ClusterLister,
		manager:       manager,
		peers:         self,
		rounds: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "acp_peer_syncs_total", Help: "Rounds over all clusters, by result.",
		}, []string{"result"}),
		owned: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "acp_cluster_owner", Help: "1 for each cluster that this server owns.",
		}, []string{"cluster"}),
	}
	registry.MustRegister(u.rounds, u.owned)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(every.Retry):
				if err := u.setPeers(nil); err == nil {
					time.Sleep(every.Sync)
				}
			}
		}
	}()
}

func (u *userControllersController) setPeers(peers *Peers) error {
	u.Lock()
	defer u.Unlock()
	if peers != nil {
		u.peers = *peers
		sort.Strings(u.peers.IDs)
	}
	if err := u.peersSync(); err != nil {
		u.rounds.WithLabelValues("error").Inc()
		logrus.Errorf("Failed syncing peers %v: %v", u.peers.IDs, err)
		return err
	}
	u.rounds.WithLabelValues("ok").Inc()
	return nil
}

func (u *userControllersController) peersSync() error {
	objects, err := u.clusterLister.List(labels.Everything())
	if err != nil {
		return err
	}
	var failed []string
	for _, obj := range objects {
		cluster, err := v3.FromObject(obj)
		if err != nil {
			return err
		}
		if cluster.DeletionTimestamp != nil || !cluster.Provisioned() {
			u.manager.Stop(cluster.UID)
			continue
		}
		amOwner := u.amOwner(cluster)
		if amOwner {
			u.owned.WithLabelValues(cluster.Name).Set(1)
		} else {
			u.owned.WithLabelValues(cluster.Name).Set(0)
		}
		if err := u.manager.Start(u.ctx, cluster, amOwner); err != nil {
			err = errors.Wrapf(err, "failed to start user controllers for cluster %s", cluster.Name)
			logrus.Debug(err)
			failed = append(failed, cluster.Name)
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("clusters not started: %s", strings.Join(failed, ", "))
	}
	return nil
}

func (u *userControllersController) amOwner(cluster *v3.Cluster) bool {
	if len(u.peers.IDs) == 0 {
		return true
	}
	chosen := int(crc32.ChecksumIEEE([]byte(cluster.UID))) % len(u.peers.IDs)
	return u.peers.IDs[chosen] == u.peers.SelfID
}
