// apiserver stands in for a cluster: the API, a scheduler and kubelet that
// carry build pods from Pending to Succeeded, and the other replica.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand"
	"net/http"
	"strings"
	"time"

	"example.org/keelworks/apistub"
)

type object = apistub.Object

const namespace = "ci"

func main() {
	listen := flag.String("listen", "127.0.0.1:6443", "address of the API")
	runtime := flag.Duration("build-time", 400*time.Millisecond, "how long a build pod runs")
	holder := flag.String("lease-holder", "", "another replica that holds the cpc lease")
	flag.Parse()

	server := apistub.New(
		apistub.Kind{APIVersion: "v1", Resource: "namespaces", Kind: "Namespace"},
		apistub.Kind{APIVersion: "v1", Resource: "configmaps", Kind: "ConfigMap", Namespaced: true},
		apistub.Kind{APIVersion: "v1", Resource: "pods", Kind: "Pod", Namespaced: true, Grace: 250 * time.Millisecond},
		apistub.Kind{APIVersion: "coordination.k8s.io/v1", Resource: "leases", Kind: "Lease", Namespaced: true},
	)
	server.WriteLatency = 200 * time.Millisecond
	node := &kubelet{server: server, runtime: *runtime}
	server.Created = node.created
	server.Subresource = node.subresource
	seed(server)
	if *holder != "" {
		go holdLease(server, *holder)
	}
	log.Printf("serving the API on %s", *listen)
	log.Fatal(server.ListenAndServeTLS(*listen))
}

func seed(server *apistub.Server) {
	for _, name := range []string{"default", "kube-system", namespace} {
		server.Put("v1", "namespaces", object{"metadata": object{"name": name}})
	}
	for i, language := range []string{"go", "java", "node", "python", "rust", "dotnet"} {
		server.Put("v1", "configmaps", object{
			"metadata": object{
				"name": "template-" + language, "namespace": namespace,
				"labels": object{"cpc.foundry/template": language},
			},
			"data": object{
				"image":   fmt.Sprintf("images.foundry.local/builders/%s:2022.%d", language, 6+i),
				"steps":   strings.Repeat(fmt.Sprintf("- run: make -C src %s-package\n", language), 40),
				"timeout": "900s",
			},
		})
	}
}

func holdLease(server *apistub.Server, holder string) {
	acquired := time.Now().UTC().Format("2006-01-02T15:04:05.000000Z")
	for {
		server.Put("coordination.k8s.io/v1", "leases", object{
			"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
			"metadata": object{"name": "cpc", "namespace": namespace},
			"spec": object{
				"holderIdentity": holder, "leaseDurationSeconds": 15, "leaseTransitions": 3,
				"acquireTime": acquired, "renewTime": time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"),
			},
		})
		time.Sleep(2 * time.Second)
	}
}

type kubelet struct {
	server  *apistub.Server
	runtime time.Duration
}

func (k *kubelet) created(kind apistub.Kind, obj object) {
	if kind.Resource == "pods" {
		go k.carry(obj["metadata"].(object)["name"].(string))
	}
}

func (k *kubelet) carry(name string) {
	steps := []struct {
		after time.Duration
		phase string
	}{
		{20 * time.Millisecond, "Pending"},
		{60 * time.Millisecond, "Running"},
		{k.runtime + time.Duration(rand.Intn(150))*time.Millisecond, "Succeeded"},
	}
	for _, step := range steps {
		time.Sleep(step.after)
		step := step
		if !k.server.Edit("v1", "pods", namespace, name, func(pod object) { setPhase(pod, step.phase) }) {
			return
		}
	}
}

func setPhase(pod object, phase string) {
	now := time.Now().UTC().Format(time.RFC3339)
	spec := pod["spec"].(object)
	spec["nodeName"] = "worker-3"
	var statuses []object
	for _, c := range spec["containers"].([]interface{}) {
		c := c.(object)
		state := object{"waiting": object{"reason": "ContainerCreating"}}
		switch phase {
		case "Running":
			state = object{"running": object{"startedAt": now}}
		case "Succeeded":
			state = object{"terminated": object{"exitCode": 0, "reason": "Completed", "startedAt": now, "finishedAt": now}}
		}
		statuses = append(statuses, object{
			"name": c["name"], "image": c["image"], "ready": phase == "Running", "restartCount": 0, "state": state,
			"imageID":     fmt.Sprintf("docker-pullable://%s@sha256:%064x", c["image"], rand.Int63()),
			"containerID": fmt.Sprintf("docker://%064x", rand.Int63()),
		})
	}
	var conditions []object
	for _, kind := range []string{"Initialized", "Ready", "ContainersReady", "PodScheduled"} {
		conditions = append(conditions, object{"type": kind, "status": "True", "lastProbeTime": nil, "lastTransitionTime": now})
	}
	pod["status"] = object{
		"phase": phase, "hostIP": "10.20.4.13", "podIP": fmt.Sprintf("10.244.3.%d", 2+rand.Intn(250)), "startTime": now,
		"qosClass": "Burstable", "conditions": conditions, "containerStatuses": statuses,
	}
}

func (k *kubelet) subresource(w http.ResponseWriter, _ *http.Request, _ apistub.Kind, pod object, name string) {
	if name != "log" {
		http.NotFound(w, nil)
		return
	}
	meta := pod["metadata"].(object)
	for i := 0; i < 300; i++ {
		_, _ = io.WriteString(w, fmt.Sprintf("%s step %3d: compiled package %08x in %d ms\n", meta["name"], i, rand.Uint32(), rand.Intn(900)))
	}
}
