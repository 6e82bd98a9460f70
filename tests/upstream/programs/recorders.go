package main // A broadcaster that is not shut down keeps its loop; before v0.31.0 its cancelled context does not end it.

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"
)

const batch = 1

var every = 150 * time.Millisecond

type sink struct{}

func (sink) Create(e *v1.Event) (*v1.Event, error)             { return e, nil }
func (sink) Update(e *v1.Event) (*v1.Event, error)             { return e, nil }
func (sink) Patch(e *v1.Event, data []byte) (*v1.Event, error) { return e, nil }

func setup() {}

func serve(n int) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b := record.NewBroadcaster(record.WithContext(ctx))
	b.StartRecordingToSink(sink{})
	r := b.NewRecorder(runtime.NewScheme(), v1.EventSource{Component: "simulator"})
	r.Event(&v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "d"}}, "Normal", "Ran", "round over")
	if mode == "healthy" {
		b.Shutdown()
	}
}
