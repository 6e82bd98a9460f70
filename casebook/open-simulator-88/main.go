// Command clustersim answers "would it fit?": it copies the current cluster, schedules the wanted pods onto the copy
// with the real kube-scheduler, and returns where they would run.
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"example.com/meridian/clustersim/inventory"
	"example.com/meridian/clustersim/server"
	"example.com/meridian/clustersim/simulator"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to serve on")
	nodes := flag.Int("nodes", 45, "nodes of the sample cluster")
	pods := flag.Int("pods", 65, "pods that run on the sample cluster")
	parallel := flag.Int("parallel", 3, "simulations at a time")
	var options simulator.Options
	flag.BoolVar(&options.DrainScheduler, "drain-scheduler", false, "wait for the scheduler when a simulation closes")
	flag.BoolVar(&options.ScopedInformers, "scoped-informers", false, "tie all informers to their simulation")
	flag.BoolVar(&options.CloseRecorder, "close-recorder", false, "close the event recorder with its simulation")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()

	cluster, err := inventory.Watch(ctx, inventory.Sample(*nodes, *pods))
	if err != nil {
		log.Fatalf("inventory: %v", err)
	}
	api := &http.Server{
		Addr:              *listen,
		Handler:           server.New(cluster, options, *parallel),
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       5 * time.Minute,
	}
	go func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := api.Shutdown(grace); err != nil {
			log.Printf("shutdown: %v", err)
		}
	}()
	log.Printf("clustersim serves %d nodes on %s", *nodes, *listen)
	if err := api.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
}
