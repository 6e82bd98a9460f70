package cri

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	specs "github.com/opencontainers/runtime-spec/specs-go"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1alpha2"
)

const (
	podContainers = 10 // of the pod that runs here
	finishedJobs  = 60 // pods of a cron job that the garbage collector has not reached yet
	services      = 140
)

type containerRecord struct {
	meta    *runtimeapi.Container
	process *specs.Process
}

type store struct {
	sandboxes  []*runtimeapi.PodSandbox
	containers []*containerRecord
}

func identifier(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "/")))
	return hex.EncodeToString(sum[:])
}

// newStore loads the node's pods: one that runs, and many that are done.
func newStore() *store {
	s := &store{}
	env := serviceLinks("media")
	names := make([]string, podContainers)
	for i := range names {
		names[i] = fmt.Sprintf("transcoder-%d", i)
	}
	s.add("media", "transcode-0", runtimeapi.PodSandboxState_SANDBOX_READY, env, names...)
	for job := 0; job < finishedJobs; job++ {
		pod := fmt.Sprintf("thumbnails-%d", 1636400000+job*300)
		s.add("media", pod, runtimeapi.PodSandboxState_SANDBOX_NOTREADY, nil, "render", "upload")
	}
	return s
}

func (s *store) add(namespace, pod string, state runtimeapi.PodSandboxState, env []string, names ...string) {
	uid := identifier(namespace, pod)[:32]
	labels := map[string]string{
		"io.kubernetes.pod.name":      pod,
		"io.kubernetes.pod.namespace": namespace,
		"io.kubernetes.pod.uid":       uid,
		"app":                         strings.SplitN(pod, "-", 2)[0],
	}
	sandbox := &runtimeapi.PodSandbox{
		Id:        identifier(namespace, pod, "sandbox"),
		Metadata:  &runtimeapi.PodSandboxMetadata{Name: pod, Namespace: namespace, Uid: uid},
		State:     state,
		CreatedAt: time.Now().UnixNano(),
		Labels:    labels,
		Annotations: map[string]string{
			"kubectl.kubernetes.io/last-applied-configuration": manifest(namespace, pod, names),
		},
	}
	s.sandboxes = append(s.sandboxes, sandbox)
	running := runtimeapi.ContainerState_CONTAINER_RUNNING
	if state != runtimeapi.PodSandboxState_SANDBOX_READY {
		running = runtimeapi.ContainerState_CONTAINER_EXITED
	}
	for _, name := range names {
		s.containers = append(s.containers, &containerRecord{
			meta: &runtimeapi.Container{
				Id:           identifier(namespace, pod, name),
				PodSandboxId: sandbox.Id,
				Metadata:     &runtimeapi.ContainerMetadata{Name: name},
				Image:        &runtimeapi.ImageSpec{Image: "images.example.com/media/" + name + ":2021.11"},
				ImageRef:     "sha256:" + identifier("image", name),
				State:        running,
				CreatedAt:    sandbox.CreatedAt,
				Labels:       labels,
				Annotations:  sandbox.Annotations,
			},
			process: &specs.Process{Cwd: "/", Env: env, User: specs.User{UID: 1000, GID: 1000}},
		})
	}
}

func (s *store) get(id string) *containerRecord {
	for _, c := range s.containers {
		if c.meta.Id == id {
			return c
		}
	}
	return nil
}

// serviceLinks are the variables that a pod gets for each service of its
// namespace.
func serviceLinks(namespace string) []string {
	var env []string
	for i := 0; i < services; i++ {
		name := fmt.Sprintf("%s_TENANT_%03d_GATEWAY", strings.ToUpper(namespace), i)
		ip := fmt.Sprintf("10.96.%d.%d", i/250, 1+i%250)
		env = append(env,
			name+"_SERVICE_HOST="+ip,
			name+"_SERVICE_PORT=8080",
			name+"_PORT=tcp://"+ip+":8080",
			name+"_PORT_8080_TCP=tcp://"+ip+":8080",
			name+"_PORT_8080_TCP_PROTO=tcp",
			name+"_PORT_8080_TCP_PORT=8080",
			name+"_PORT_8080_TCP_ADDR="+ip,
		)
	}
	return env
}

func manifest(namespace, pod string, containers []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":%q},"spec":{"containers":[`, pod, namespace)
	for i, name := range containers {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":%q,"resources":{"limits":{"cpu":"2","memory":"1Gi"},"requests":{"cpu":"500m","memory":"512Mi"}},`+
			`"livenessProbe":{"exec":{"command":["test","-f","/run/alive"]},"periodSeconds":5,"timeoutSeconds":2},`+
			`"volumeMounts":[{"name":"scratch","mountPath":"/var/scratch"},{"name":"config","mountPath":"/etc/media","readOnly":true}]}`, name)
	}
	b.WriteString(`],"nodeName":"edge-07","restartPolicy":"Always"}}`)
	return b.String()
}
