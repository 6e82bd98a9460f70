// A node: the server of a kubelet as Kubernetes has it (pprof, metrics, port forwarding; who asks is looked up at the API
// server) and the streaming server of a container runtime. There are no containers: the loopback of pod 10.244.1.14 is
// 127.244.1.14, that of a pod in the node's network 127.0.0.1.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	cadvisorapi "github.com/google/cadvisor/info/v1"
	cadvisorv2 "github.com/google/cadvisor/info/v2"
	oteltrace "go.opentelemetry.io/otel/trace/noop"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-streaming/pkg/streaming"
	"k8s.io/cri-streaming/pkg/streaming/portforward"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/server"
	"k8s.io/kubernetes/pkg/kubelet/server/stats"
)

func main() {
	name := flag.String("name", "", "of the Node")
	address := flag.String("address", "", "where the kubelet listens")
	port := flag.Int("port", 10250, "where the kubelet listens")
	kubeconfig := flag.String("kubeconfig", "", "how the API server is reached")
	authority := flag.String("client-ca-file", "", "who signs the certificates of clients")
	certificate := flag.String("tls-cert-file", "", "of the kubelet")
	key := flag.String("tls-private-key-file", "", "of the kubelet")
	profiling := flag.Bool("enable-profiling", true, "as enableProfilingHandler of a kubelet")
	flag.Parse()

	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	check(err)
	client, err := kubernetes.NewForConfig(config)
	check(err)
	auth, err := whoMay(types.NodeName(*name), client, *authority)
	check(err)
	pair, err := tls.LoadX509KeyPair(*certificate, *key)
	check(err)
	clients := x509.NewCertPool()
	data, err := os.ReadFile(*authority)
	check(err)
	clients.AppendCertsFromPEM(data)

	streams, err := streamingServer()
	check(err)
	host := &node{client: client, streams: streams}
	settings := &kubeletconfig.KubeletConfiguration{
		Address: *address, Port: int32(*port), EnableDebuggingHandlers: true, EnableProfilingHandler: *profiling,
		EnableDebugFlagsHandler: true, EnableSystemLogHandler: true,
	}
	tlsConfig := &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequestClientCert, ClientCAs: clients}
	server.ListenAndServeKubeletServer(context.Background(), host, analyzer{}, nil, nil, settings, tlsConfig, auth, oteltrace.NewTracerProvider())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// whoMay asks the API server who a token belongs to and what its owner may, as kubelets with webhooks do.
func whoMay(name types.NodeName, client kubernetes.Interface, authority string) (server.AuthInterface, error) {
	clients, err := dynamiccertificates.NewDynamicCAContentFromFile("client-ca-bundle", authority)
	if err != nil {
		return nil, err
	}
	authentication := authenticatorfactory.DelegatingAuthenticatorConfig{
		Anonymous:                          &apiserver.AnonymousAuthConfig{Enabled: false},
		CacheTTL:                           2 * time.Second,
		ClientCertificateCAContentProvider: clients,
		WebhookRetryBackoff:                genericoptions.DefaultAuthWebhookRetryBackoff(),
		TokenAccessReviewClient:            client.AuthenticationV1(),
	}
	who, _, err := authentication.New()
	if err != nil {
		return nil, err
	}
	authorization := authorizerfactory.DelegatingAuthorizerConfig{
		SubjectAccessReviewClient: client.AuthorizationV1(),
		AllowCacheTTL:             2 * time.Second,
		DenyCacheTTL:              2 * time.Second,
		WebhookRetryBackoff:       genericoptions.DefaultAuthWebhookRetryBackoff(),
	}
	may, err := authorization.New()
	if err != nil {
		return nil, err
	}
	return server.NewKubeletAuth(who, server.NewNodeAuthorizerAttributesGetter(name), may, clients), nil
}

// node is what the kubelet's server asks of its kubelet; what it does not ask here is nil.
type node struct {
	server.HostInterface
	client  kubernetes.Interface
	streams streaming.Server
}

func (n *node) GetPodByName(namespace, name string) (*v1.Pod, bool) {
	pod, err := n.client.CoreV1().Pods(namespace).Get(context.Background(), name, metav1.GetOptions{})
	return pod, err == nil
}

func (n *node) GetPortForward(_ context.Context, name, namespace string, _ types.UID, options portforward.V4Options) (*url.URL, error) {
	pod, found := n.GetPodByName(namespace, name)
	if !found {
		return nil, errors.New("pod not found")
	}
	sandbox := "127" + strings.TrimPrefix(pod.Status.PodIP, "10")
	if pod.Spec.HostNetwork {
		sandbox = "127.0.0.1"
	}
	answer, err := n.streams.GetPortForward(&runtimeapi.PortForwardRequest{PodSandboxId: sandbox, Port: options.Ports})
	if err != nil {
		return nil, err
	}
	return url.Parse(answer.Url)
}

func (n *node) SyncLoopHealthCheck(*http.Request) error { return nil }
func (n *node) GetVersionInfo() (*cadvisorapi.VersionInfo, error) {
	return nil, errors.New("no cAdvisor here")
}
func (n *node) GetCachedMachineInfo() (*cadvisorapi.MachineInfo, error) {
	return nil, errors.New("no cAdvisor here")
}
func (n *node) GetPods() []*v1.Pod { return nil }
func (n *node) GetRequestedContainersInfo(string, cadvisorv2.RequestOptions) (map[string]*cadvisorapi.ContainerInfo, error) {
	return nil, errors.New("no cAdvisor here")
}

type analyzer struct{ stats.ResourceAnalyzer }

// streamingServer is what a container runtime listens with on the loopback of its node.
func streamingServer() (streaming.Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	config := streaming.DefaultConfig
	config.BaseURL = &url.URL{Scheme: "http", Host: listener.Addr().String(), Path: "/"}
	made, err := streaming.NewServer(config, runtime{})
	if err != nil {
		return nil, err
	}
	go func() { log.Fatal(http.Serve(listener, made)) }()
	return made, nil
}

type runtime struct{ streaming.Runtime }

// PortForward does what containerd does, and fails in its words.
func (runtime) PortForward(_ context.Context, loopback string, port int32, stream io.ReadWriteCloser) error {
	defer stream.Close()
	there, err := net.Dial("tcp4", fmt.Sprintf("%s:%d", loopback, port))
	if err != nil {
		return fmt.Errorf("failed to execute portforward in network namespace \"/var/run/netns/cni-0\": failed to connect to localhost:%d inside namespace \"0\", IPv4: %w", port, err)
	}
	defer there.Close()
	done := make(chan error, 2)
	go func() { _, err := io.Copy(there, stream); done <- err }()
	go func() { _, err := io.Copy(stream, there); done <- err }()
	return <-done
}
