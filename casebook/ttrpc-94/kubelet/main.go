// Command kubelet is the node agent: it serves stats and exec, probes the
// containers and watches what they use.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"log"
	"net/http"
	"os"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1alpha2"

	"example.com/edgeworks/node/kubelet/remote"
	"example.com/edgeworks/node/kubelet/stats"
)

func main() {
	var (
		listen   = flag.String("listen", "127.0.0.1:10250", "address to serve with client certificates")
		readOnly = flag.String("read-only-listen", "127.0.0.1:10255", "address to serve stats without")
		endpoint = flag.String("container-runtime-endpoint", "/run/containerd/containerd.sock", "socket of the CRI")
		clientCA = flag.String("client-ca-file", "", "CA of the clients")
		cert     = flag.String("tls-cert-file", "", "certificate to serve with")
		key      = flag.String("tls-private-key-file", "", "its key")
		probes   = flag.Int("probes", 2, "containers with a liveness probe")
		period   = flag.Duration("housekeeping-interval", 10*time.Second, "time between two looks at the pods' usage")
	)
	flag.Parse()

	runtime, err := remote.NewRuntimeService(*endpoint, 20*time.Second)
	if err != nil {
		log.Fatalf("failed to connect to %s: %v", *endpoint, err)
	}
	provider := stats.NewProvider(runtime)
	containers, err := runtime.ListContainers()
	if err != nil {
		log.Fatalf("failed to list containers: %v", err)
	}
	for _, c := range containers {
		if c.State == runtimeapi.ContainerState_CONTAINER_RUNNING && *probes > 0 {
			*probes--
			go probe(runtime, c, 5*time.Second, 2*time.Second)
		}
	}
	go (&evictionManager{stats: provider, limit: 8 << 30}).start(*period)

	s := &server{runtime: runtime, stats: provider}
	go func() {
		plain := &http.Server{Addr: *readOnly, Handler: s.readOnlyHandler(), ReadHeaderTimeout: 10 * time.Second}
		log.Fatal(plain.ListenAndServe())
	}()
	config, err := tlsConfig(*clientCA)
	if err != nil {
		log.Fatalf("failed to load the client CA: %v", err)
	}
	secure := &http.Server{Addr: *listen, Handler: s.handler(), TLSConfig: config, ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(secure.ListenAndServeTLS(*cert, *key))
}

func tlsConfig(clientCA string) (*tls.Config, error) {
	pem, err := os.ReadFile(clientCA)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, errors.New("no certificate in " + clientCA)
	}
	return &tls.Config{ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12}, nil
}
