package main // Runnables that fail after their manager has stopped wait forever: nobody reads their errors.

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const batch = 1

var every = 700 * time.Millisecond

func setup() { ctrl.SetLogger(logr.Discard()) }

func serve(n int) {
	grace := 50 * time.Millisecond
	m, err := ctrl.NewManager(&rest.Config{Host: "http://127.0.0.1:1"}, ctrl.Options{
		Metrics:                 metrics.Options{BindAddress: "0"},
		GracefulShutdownTimeout: &grace,
		MapperProvider: func(*rest.Config, *http.Client) (meta.RESTMapper, error) {
			return meta.NewDefaultRESTMapper([]schema.GroupVersion{}), nil
		},
	})
	must(err)
	for i := 0; i < 4; i++ {
		must(m.Add(manager.RunnableFunc(func(ctx context.Context) error {
			<-ctx.Done()
			if mode == "healthy" {
				return nil
			}
			time.Sleep(200 * time.Millisecond)
			return errors.New("tenant closed")
		})))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_ = m.Start(ctx)
}
