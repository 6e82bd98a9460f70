// Package simulator schedules pods onto a copy of a cluster with the real kube-scheduler.
package simulator

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"

	"example.com/meridian/clustersim/inventory"
)

const (
	pollEvery = 40 * time.Millisecond
	patience  = 20 * time.Second
)

// Options says how a simulation is taken down.
type Options struct {
	DrainScheduler  bool
	ScopedInformers bool
	CloseRecorder   bool
}

// Placement is where a pod would run, or why it would not.
type Placement struct {
	Pod    string `json:"pod"`
	Node   string `json:"node,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// Result is the outcome of a simulation.
type Result struct {
	Nodes      int         `json:"nodes"`
	Pods       int         `json:"pods"`
	Placements []Placement `json:"placements"`
}

// Simulation is one copy of a cluster with a scheduler of its own.
type Simulation struct {
	options     Options
	client      *fake.Clientset
	informers   informers.SharedInformerFactory
	broadcaster events.EventBroadcasterAdapter
	recorder    quietRecorder
	scheduler   *scheduler.Scheduler
	watching    <-chan struct{}

	ctx            context.Context
	cancel         context.CancelFunc
	scheduling     context.Context
	stopScheduling context.CancelFunc
	finished       chan struct{}
}

// New returns a simulation on a copy of the cluster. It must be closed.
func New(cluster inventory.Resources, options Options) (*Simulation, error) {
	client, watching := newCluster()
	s := &Simulation{
		options:     options,
		client:      client,
		informers:   informers.NewSharedInformerFactory(client, 0),
		broadcaster: events.NewEventBroadcasterAdapter(client),
		watching:    watching,
		finished:    make(chan struct{}),
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.scheduling, s.stopScheduling = context.WithCancel(s.ctx)

	var err error
	s.scheduler, err = newScheduler(
		s.ctx,
		s.client,
		s.informers,
		s.recorder.from(s.broadcaster),
		scheduler.WithPercentageOfNodesToScore(100),
		scheduler.WithPodInitialBackoffSeconds(1),
		scheduler.WithPodMaxBackoffSeconds(10),
	)
	if err != nil {
		s.cancel()
		return nil, fmt.Errorf("scheduler: %w", err)
	}
	if err := s.syncCluster(cluster); err != nil {
		s.cancel()
		return nil, err
	}
	if err := s.start(); err != nil {
		s.cancel()
		return nil, err
	}
	return s, nil
}

func (s *Simulation) start() error {
	s.informers.Start(s.ctx.Done())
	for kind, synced := range s.informers.WaitForCacheSync(s.ctx.Done()) {
		if !synced {
			return fmt.Errorf("%v did not sync", kind)
		}
	}
	<-s.watching
	go func() {
		defer close(s.finished)
		s.scheduler.Run(s.scheduling)
	}()
	return nil
}

// Schedule adds the pods of an application and returns where they went.
func (s *Simulation) Schedule(app string, pods []*corev1.Pod) (*Result, error) {
	for _, pod := range pods {
		if _, err := s.client.CoreV1().Pods(pod.Namespace).Create(s.ctx, pod, metav1.CreateOptions{}); err != nil {
			return nil, fmt.Errorf("create pod %s: %w", pod.Name, err)
		}
	}
	if err := s.settle(app); err != nil {
		return nil, err
	}
	return s.report(app)
}

// settle waits until no pod of the application is pending in two looks in a row.
func (s *Simulation) settle(app string) error {
	quiet := 0
	return wait.PollImmediate(pollEvery, patience, func() (bool, error) {
		pods, err := s.pods(app)
		if err != nil {
			return false, err
		}
		for _, pod := range pods {
			if pod.Spec.NodeName == "" && refusal(pod) == "" {
				quiet = 0
				return false, nil
			}
		}
		quiet++
		return quiet > 1, nil
	})
}

func (s *Simulation) pods(app string) ([]*corev1.Pod, error) {
	selector := labels.SelectorFromSet(labels.Set{"app": app})
	return s.informers.Core().V1().Pods().Lister().List(selector)
}

func (s *Simulation) report(app string) (*Result, error) {
	nodes, err := s.client.CoreV1().Nodes().List(s.ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	pods, err := s.client.CoreV1().Pods(metav1.NamespaceAll).List(s.ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list pods: %w", err)
	}
	result := &Result{Nodes: len(nodes.Items), Pods: len(pods.Items)}
	for at := range pods.Items {
		pod := &pods.Items[at]
		if pod.Labels["app"] == app {
			result.Placements = append(result.Placements, Placement{pod.Name, pod.Spec.NodeName, refusal(pod)})
		}
	}
	return result, nil
}

// refusal returns why the scheduler found no node for a pod, or "".
func refusal(pod *corev1.Pod) string {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return condition.Message
		}
	}
	return ""
}

// Close takes the simulation down.
func (s *Simulation) Close() {
	if s.options.DrainScheduler {
		s.drain()
	}
	s.cancel()
	if s.options.CloseRecorder {
		s.broadcaster.Shutdown()
	}
}

// drain ends scheduling with one last pod and waits until the scheduler has returned.
func (s *Simulation) drain() {
	s.recorder.muted.Store(true)
	s.stopScheduling()
	last := inventory.NewPod("last", "last", "1m", "1Mi")
	if _, err := s.client.CoreV1().Pods(last.Namespace).Create(s.ctx, last, metav1.CreateOptions{}); err != nil {
		return
	}
	select {
	case <-s.finished:
	case <-time.After(patience):
	}
}
