// cpc is the controller behind continuous integration: it takes build jobs
// over HTTP and runs each in a pod. One of its replicas leads.
package main

import (
	"context"
	"flag"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog"

	"example.com/foundry/cpc/api"
	"example.com/foundry/cpc/pipeline"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address of the API")
	master := flag.String("master", "https://127.0.0.1:6443", "address of the Kubernetes API server")
	namespace := flag.String("namespace", "ci", "namespace of the build pods")
	identity := flag.String("identity", "cpc-0", "name of this replica in the election")
	workers := flag.Int("workers", 12, "builds at the same time")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	client, err := kubernetes.NewForConfig(&rest.Config{
		Host:            *master,
		UserAgent:       "cpc/2.3.1",
		TLSClientConfig: rest.TLSClientConfig{Insecure: true},
		QPS:             100,
		Burst:           200,
	})
	if err != nil {
		klog.Fatal(err)
	}

	registry := prometheus.NewRegistry()
	registry.MustRegister(prometheus.NewGoCollector(), prometheus.NewProcessCollector(prometheus.ProcessCollectorOpts{}))

	factory := informers.NewSharedInformerFactoryWithOptions(client, 10*time.Minute, informers.WithNamespace(*namespace))
	templates := pipeline.NewTemplates(factory)
	jobs := pipeline.NewLedger(500)
	feed := pipeline.NewFeed()
	logs := pipeline.NewArchive(ctx, 40, 4)
	runner := pipeline.NewRunner(client, *namespace, jobs, feed, templates, logs, pipeline.NewMetrics(registry))
	factory.Start(ctx.Done())

	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Name: "cpc", Namespace: *namespace},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: *identity},
		},
		LeaseDuration: 15 * time.Second,
		RenewDeadline: 10 * time.Second,
		RetryPeriod:   2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				if !cache.WaitForCacheSync(ctx.Done(), templates.HasSynced) {
					return
				}
				klog.Infof("%s leads", *identity)
				runner.Run(ctx, *workers)
			},
			OnStoppedLeading: func() { klog.Fatalf("%s lost the lease", *identity) },
			OnNewLeader:      func(leader string) { klog.Infof("the leader is %s", leader) },
		},
	})
	if err != nil {
		klog.Fatal(err)
	}
	go elector.Run(ctx)

	server := &api.Server{
		Jobs:   jobs,
		Feed:   feed,
		Logs:   logs,
		Runner: runner,
		Leader: func() (string, bool) { return elector.GetLeader(), elector.IsLeader() },
	}
	if err := api.Serve(*listen, server.Handler(registry)); err != nil {
		klog.Fatal(err)
	}
}
