// acp manages many Kubernetes clusters from one place.
package main

import (
	"context"
	"flag"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rancher/wrangler/pkg/signals"
	"github.com/sirupsen/logrus"
	"k8s.io/client-go/rest"

	"example.com/nanhai/acp/pkg/api/controllers/usercontrollers"
	"example.com/nanhai/acp/pkg/api/server"
	"example.com/nanhai/acp/pkg/clustermanager"
	"example.com/nanhai/acp/pkg/config"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address of the API")
	master := flag.String("master", "https://127.0.0.1:6443", "address of the local cluster's API server")
	self := flag.String("peer-id", "acp-0", "name of this server among its peers")
	every := usercontrollers.Intervals{}
	flag.DurationVar(&every.Sync, "peer-sync", 2*time.Minute, "pause after a round over all clusters")
	flag.DurationVar(&every.Retry, "peer-retry", 5*time.Second, "pause before each round")
	options := clustermanager.Options{}
	flag.DurationVar(&options.DialTimeout, "cluster-timeout", 30*time.Second, "for requests to downstream clusters")
	flag.BoolVar(&options.AccessControlOnStart, "access-control-on-start", false, "build access control when a cluster's controllers start")
	flag.Parse()
	logrus.SetOutput(os.Stderr)

	if err := run(signals.SetupSignalHandler(context.Background()), *listen, *master, *self, every, options); err != nil {
		logrus.Fatal(err)
	}
}

func run(ctx context.Context, listen, master, self string, every usercontrollers.Intervals, options clustermanager.Options) error {
	scaled, err := config.NewScaledContext(&rest.Config{
		Host:            master,
		UserAgent:       "acp/2.4.4",
		TLSClientConfig: rest.TLSClientConfig{Insecure: true},
		QPS:             50,
		Burst:           100,
	})
	if err != nil {
		return err
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(prometheus.NewGoCollector(), prometheus.NewProcessCollector(prometheus.ProcessCollectorOpts{}))

	manager := clustermanager.NewManager(ctx, scaled, options)
	if err := scaled.Start(ctx); err != nil {
		return err
	}
	peers := usercontrollers.Peers{SelfID: self, IDs: []string{self}}
	usercontrollers.Register(ctx, scaled, manager, peers, every, registry)

	api := &server.Server{Clusters: scaled.ClusterLister, Manager: manager}
	logrus.Infof("Listening on %s", listen)
	return (&http.Server{Addr: listen, Handler: api.Handler(registry), ReadHeaderTimeout: 10 * time.Second}).ListenAndServe()
}
