// Package pipeline builds applications in pods of the CI namespace.
package pipeline

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog"
)

// Job is one build that was asked for.
type Job struct {
	ID          string    `json:"id"`
	Application string    `json:"application"`
	Language    string    `json:"language"`
	Revision    string    `json:"revision"`
	State       string    `json:"state"`
	Finished    time.Time `json:"finished"`
}

var finished = map[corev1.PodPhase]struct{}{
	corev1.PodSucceeded: {},
	corev1.PodFailed:    {},
}

// Runner works through the queue of jobs.
type Runner struct {
	client    kubernetes.Interface
	namespace string
	queue     workqueue.RateLimitingInterface
	jobs      *Ledger
	feed      *Feed
	templates *Templates
	logs      *Archive
	metrics   *Metrics
}

// NewRunner returns a runner; it does nothing until Run.
func NewRunner(client kubernetes.Interface, namespace string, jobs *Ledger, feed *Feed, templates *Templates, logs *Archive, m *Metrics) *Runner {
	return &Runner{
		client:    client,
		namespace: namespace,
		queue:     workqueue.NewNamedRateLimitingQueue(workqueue.DefaultControllerRateLimiter(), "jobs"),
		jobs:      jobs,
		feed:      feed,
		templates: templates,
		logs:      logs,
		metrics:   m,
	}
}

// Submit queues a job.
func (r *Runner) Submit(job Job) {
	r.jobs.Put(job)
	r.queue.Add(job.ID)
}

// Run starts the workers and blocks until ctx ends.
func (r *Runner) Run(ctx context.Context, workers int) {
	defer utilruntime.HandleCrash()
	defer r.queue.ShutDown()
	for i := 0; i < workers; i++ {
		go wait.UntilWithContext(ctx, r.worker, time.Second)
	}
	<-ctx.Done()
}

func (r *Runner) worker(ctx context.Context) {
	for r.processNext(ctx) {
	}
}

func (r *Runner) processNext(ctx context.Context) bool {
	key, shutdown := r.queue.Get()
	if shutdown {
		return false
	}
	defer r.queue.Done(key)
	job, ok := r.jobs.Get(key.(string))
	if !ok {
		return true
	}
	began := time.Now()
	phase, err := r.build(ctx, &job)
	if err != nil {
		klog.Errorf("job %s: %v", job.ID, err)
		job.State = "Error"
	} else {
		job.State = string(phase)
	}
	job.Finished = time.Now()
	r.jobs.Put(job)
	r.feed.Publish(job)
	r.metrics.finished(job.State, time.Since(began))
	r.queue.Forget(key)
	return true
}

// build runs the pod of a job to its end.
func (r *Runner) build(ctx context.Context, job *Job) (corev1.PodPhase, error) {
	template, err := r.templates.For(job.Language)
	if err != nil {
		return "", err
	}
	defer r.deletePod(ctx, job.ID)
	pod := buildPod(r.namespace, job, template)
	if _, err := r.client.CoreV1().Pods(r.namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return "", fmt.Errorf("create pod: %w", err)
	}
	return r.watchPod(ctx, job.ID)
}

// watchPod follows a build pod until it has ended, keeps its log and removes it.
func (r *Runner) watchPod(ctx context.Context, name string) (corev1.PodPhase, error) {
	w, err := r.client.CoreV1().Pods(r.namespace).Watch(ctx, metav1.ListOptions{
		LabelSelector: labels.SelectorFromSet(labels.Set{labelJob: name}).String(),
	})
	if err != nil {
		return "", fmt.Errorf("watch pod: %w", err)
	}
	defer w.Stop()
	events := w.ResultChan()
	for {
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case event, ok := <-events:
			if !ok {
				return "", fmt.Errorf("watch of pod %s was closed", name)
			}
			pod, ok := event.Object.(*corev1.Pod)
			if !ok {
				return "", fmt.Errorf("watch of pod %s: unexpected %T", name, event.Object)
			}
			if _, ok := finished[pod.Status.Phase]; !ok {
				continue
			}
			if err := r.keepLog(ctx, name); err != nil {
				klog.Warningf("job %s: log: %v", name, err)
			}
			return pod.Status.Phase, r.deletePod(ctx, name)
		}
	}
}

func (r *Runner) keepLog(ctx context.Context, name string) error {
	options := &corev1.PodLogOptions{Container: "build"}
	raw, err := r.client.CoreV1().Pods(r.namespace).GetLogs(name, options).DoRaw(ctx)
	if err != nil {
		return err
	}
	return r.logs.Keep(ctx, name, raw)
}

func (r *Runner) deletePod(ctx context.Context, name string) error {
	err := r.client.CoreV1().Pods(r.namespace).Delete(ctx, name, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
