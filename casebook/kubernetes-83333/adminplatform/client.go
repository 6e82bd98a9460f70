package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const userAgent = "admin-platform/2.8.1"

var (
	requestsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "rest_client_requests_total",
		Help: "Number of HTTP requests, partitioned by status code, method, and host.",
	}, []string{"code", "method", "host"})
	requestLatency = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "rest_client_request_latency_seconds",
		Help:    "Request latency in seconds. Broken down by verb.",
		Buckets: []float64{0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2.5, 5, 10},
	}, []string{"verb"})
)

func init() {
	prometheus.MustRegister(requestsTotal, requestLatency)
}

type item struct {
	Metadata struct {
		Name            string            `json:"name"`
		Namespace       string            `json:"namespace"`
		ResourceVersion string            `json:"resourceVersion"`
		Labels          map[string]string `json:"labels"`
	} `json:"metadata"`
	Status map[string]string `json:"status"`
}

type clusterClient struct {
	base string
	host string
	http *http.Client
}

func newClusterClient(base, from string) (*clusterClient, error) {
	ip := net.ParseIP(from)
	if ip == nil {
		return nil, fmt.Errorf("%q is no address", from)
	}
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: ip}, Timeout: 5 * time.Second}
	return &clusterClient{
		base: base,
		host: strings.TrimPrefix(base, "http://"),
		http: &http.Client{
			Timeout: 10 * time.Second,
			Transport: &http.Transport{
				DialContext:         dialer.DialContext,
				MaxIdleConnsPerHost: 32,
				IdleConnTimeout:     90 * time.Second,
			},
		},
	}, nil
}

// list returns all objects behind a path of the API.
func (c *clusterClient) list(path string) (items []item, err error) {
	code := "<error>"
	began := time.Now()
	defer func() {
		requestsTotal.WithLabelValues(code, "GET", c.host).Inc()
		requestLatency.WithLabelValues("GET").Observe(time.Since(began).Seconds())
	}()
	request, err := http.NewRequest("GET", c.base+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", userAgent)
	request.Header.Set("Accept", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		code = strconv.Itoa(response.StatusCode)
		return nil, fmt.Errorf("the API server says %s", response.Status)
	}
	var all struct {
		Items []item `json:"items"`
	}
	if err := json.NewDecoder(response.Body).Decode(&all); err != nil {
		return nil, fmt.Errorf("reading the answer: %v", err)
	}
	code = strconv.Itoa(response.StatusCode)
	return all.Items, nil
}
