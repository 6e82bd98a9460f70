// Package server is the HTTP interface of clustersim.
package server

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/gin-contrib/pprof"
	"github.com/gin-gonic/gin"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"

	"example.com/meridian/clustersim/inventory"
	"example.com/meridian/clustersim/simulator"
)

var requests = metrics.NewCounterVec(&metrics.CounterOpts{
	Name:           "http_requests_total",
	Help:           "Requests answered.",
	StabilityLevel: metrics.ALPHA,
}, []string{"method", "path", "code"})

func init() {
	legacyregistry.MustRegister(requests)
}

type server struct {
	cluster *inventory.Inventory
	options simulator.Options
	slots   chan struct{}
}

type appRequest struct {
	Name     string `json:"name" binding:"required"`
	Replicas int    `json:"replicas" binding:"min=1,max=50"`
	CPU      string `json:"cpu"`
	Memory   string `json:"memory"`
}

// New returns the handler of all routes.
func New(cluster *inventory.Inventory, options simulator.Options, parallel int) http.Handler {
	s := &server{cluster: cluster, options: options, slots: make(chan struct{}, parallel)}
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	router.Use(gin.Logger(), count, gin.Recovery())
	router.GET("/healthz", func(c *gin.Context) { c.JSON(http.StatusOK, gin.H{"message": "ok"}) })
	router.GET("/metrics", gin.WrapH(legacyregistry.Handler()))
	pprof.RouteRegister(router.Group("/admin"), "debug/pprof")

	api := router.Group("/api/v1", s.throttle)
	api.POST("/deploy-apps", s.deployApps)
	api.POST("/scale-apps", s.scaleApps)
	return router
}

func count(c *gin.Context) {
	c.Next()
	requests.WithLabelValues(c.Request.Method, c.FullPath(), strconv.Itoa(c.Writer.Status())).Inc()
}

// throttle lets only so many simulations run at a time.
func (s *server) throttle(c *gin.Context) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
		c.Next()
	case <-c.Request.Context().Done():
		c.AbortWithStatus(http.StatusServiceUnavailable)
	}
}

func (s *server) deployApps(c *gin.Context) {
	s.simulate(c, func(simulation *simulator.Simulation, app appRequest) (*simulator.Result, error) {
		return simulation.Schedule(app.Name, app.pods())
	})
}

func (s *server) scaleApps(c *gin.Context) {
	s.simulate(c, func(simulation *simulator.Simulation, app appRequest) (*simulator.Result, error) {
		return simulation.Scale(inventory.Namespace, app.Name, app.pods())
	})
}

// simulate runs one simulation on a copy of the cluster for one request.
func (s *server) simulate(
	c *gin.Context, run func(*simulator.Simulation, appRequest) (*simulator.Result, error),
) {
	app := appRequest{CPU: "500m", Memory: "512Mi"}
	if err := c.ShouldBindJSON(&app); err != nil {
		c.JSON(http.StatusBadRequest, gin.H{"error": err.Error()})
		return
	}
	cluster, err := s.cluster.Snapshot()
	if err != nil {
		c.JSON(http.StatusInternalServerError, gin.H{"error": err.Error()})
		return
	}
	simulation, err := simulator.New(cluster, s.options)
	if err != nil {
		c.JSON(http.StatusInternalServerError, gin.H{"error": err.Error()})
		return
	}
	defer simulation.Close()
	result, err := run(simulation, app)
	if err != nil {
		c.JSON(http.StatusInternalServerError, gin.H{"error": err.Error()})
		return
	}
	c.JSON(http.StatusOK, result)
}

func (a appRequest) pods() []*corev1.Pod {
	var pods []*corev1.Pod
	for n := 0; n < a.Replicas; n++ {
		pods = append(pods, inventory.NewPod(fmt.Sprintf("%s-new-%d", a.Name, n), a.Name, a.CPU, a.Memory))
	}
	return pods
}
