// An API server for one pod, with the port forwarding that kubelets and container runtimes have (k8s.io/cri-streaming).
// The pod's process is this one: pprof on the loopback, with goroutines enough that a dump comes in many frames. Arguments:
// the token of its user, certificate and key; prints the address of the API server, the ports of pprof and of a mute server.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"strconv"
	"strings"
	"time"

	"k8s.io/cri-streaming/pkg/streaming/portforward"
)

const pod = "/api/v1/namespaces/shop/pods/worker-0"

type object = map[string]any

func main() {
	for range 5000 {
		go waitForever(make(chan int))
	}
	profiles, err := net.Listen("tcp4", "127.0.0.1:0")
	check(err)
	go func() { log.Fatal(http.Serve(profiles, nil)) }()
	port := profiles.Addr().(*net.TCPAddr).Port

	api, err := net.Listen("tcp4", "127.0.0.1:0")
	check(err)
	mute, err := net.Listen("tcp4", "127.0.0.1:0") // connections are made, and nobody takes them
	check(err)
	defer mute.Close() // or the collector would
	fmt.Println(api.Addr(), port, mute.Addr().(*net.TCPAddr).Port)
	server := http.Server{Handler: apiServer(port, os.Args[1])}
	log.Fatal(server.ServeTLS(api, os.Args[2], os.Args[3]))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func waitForever(answers chan int) int { return <-answers }

// apiServer knows one user by its token, and proxies to nothing.
func apiServer(port int, token string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		switch {
		case r.Header.Get("Authorization") != "Bearer "+token:
			refuse(w, http.StatusUnauthorized, "Unauthorized", "Unauthorized")
		case path == "/version":
			answer(w, http.StatusOK, object{"major": "1", "minor": "36", "gitVersion": "v1.36.3"})
		case path == pod:
			answer(w, http.StatusOK, described(port))
		case path == strings.TrimSuffix(pod, "/worker-0"):
			answer(w, http.StatusOK, object{"kind": "PodList", "apiVersion": "v1", "items": []object{described(port)}})
		case path == pod+"/portforward":
			forward(w, r)
		case strings.Contains(path, "/proxy"):
			refuse(w, http.StatusServiceUnavailable, "ServiceUnavailable", fmt.Sprintf("error trying to reach service: dial tcp 10.244.1.14:%d: connect: connection refused", port))
		default:
			refuse(w, http.StatusNotFound, "NotFound", "the server could not find the requested resource")
		}
	}
}

func forward(w http.ResponseWriter, r *http.Request) {
	// Clients say "ports" to the API server, and it says "port" to the kubelet.
	asked := *r.URL
	asked.RawQuery = strings.ReplaceAll(r.URL.RawQuery, "ports=", "port=")
	options, err := portforward.NewV4Options(&http.Request{URL: &asked, Header: r.Header})
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	portforward.ServePortForward(w, r, loopback{}, "worker-0", "", options, time.Minute, time.Minute, portforward.SupportedProtocols)
}

type loopback struct{}

// PortForward does what containerd does, and fails in its words.
func (loopback) PortForward(_ context.Context, pod, _ string, port int32, stream io.ReadWriteCloser) error {
	defer stream.Close()
	there, err := net.Dial("tcp4", "localhost:"+strconv.Itoa(int(port)))
	if err != nil {
		return fmt.Errorf("failed to execute portforward in network namespace %q: failed to connect to localhost:%d inside namespace %q, IPv4: %w", "/var/run/netns/cni-0", port, pod, err)
	}
	defer there.Close()
	done := make(chan error, 2)
	go func() { _, err := io.Copy(there, stream); done <- err }()
	go func() { _, err := io.Copy(stream, there); done <- err }()
	return <-done
}

func described(port int) object {
	container := object{"name": "worker", "image": "worker:1", "ports": []object{{"name": "pprof", "containerPort": port}}}
	status := object{"name": "worker", "image": "worker:1", "ready": true, "restartCount": 0, "state": object{"running": object{}}}
	return object{
		"kind": "Pod", "apiVersion": "v1", "metadata": object{"name": "worker-0", "namespace": "shop", "uid": "1"},
		"spec":   object{"nodeName": "node-b", "containers": []object{container}},
		"status": object{"phase": "Running", "podIP": "10.244.1.14", "containerStatuses": []object{status}},
	}
}

func refuse(w http.ResponseWriter, code int, reason, message string) {
	answer(w, code, object{"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "reason": reason, "code": code})
}

func answer(w http.ResponseWriter, code int, content object) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(content)
}
