package cri

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/containerd/containerd/log"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1alpha2"
)

type execFunc func(ctx context.Context, id string, opts execOptions) (uint32, error)

// streamServer answers the URLs that Exec hands out, each once.
type streamServer struct {
	address string
	exec    execFunc

	mu       sync.Mutex
	requests map[string]*runtimeapi.ExecRequest
}

func newStreamServer(address string, exec execFunc) *streamServer {
	return &streamServer{address: address, exec: exec, requests: make(map[string]*runtimeapi.ExecRequest)}
}

// StreamHandler returns the handler of the streaming server.
func (s *Service) StreamHandler() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("/exec/", s.streams.serveExec)
	return m
}

func (s *streamServer) getExec(r *runtimeapi.ExecRequest) string {
	secret := make([]byte, 6)
	if _, err := rand.Read(secret); err != nil {
		panic(err)
	}
	token := base64.RawURLEncoding.EncodeToString(secret)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests[token] = r
	return "http://" + s.address + "/exec/" + token
}

func (s *streamServer) consume(token string) *runtimeapi.ExecRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.requests[token]
	delete(s.requests, token)
	return r
}

func (s *streamServer) serveExec(w http.ResponseWriter, r *http.Request) {
	request := s.consume(strings.TrimPrefix(r.URL.Path, "/exec/"))
	if request == nil {
		http.NotFound(w, r)
		return
	}
	// The session outlives the request, which is only where it began.
	code, err := s.exec(context.Background(), request.ContainerId, execOptions{command: request.Cmd})
	if err != nil {
		log.L.WithError(err).Errorf("exec for %q failed", request.ContainerId)
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprintf(w, "exit status %d\n", code)
}
