package pipeline

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics of the builds.
type Metrics struct {
	jobs     *prometheus.CounterVec
	duration prometheus.Histogram
}

// NewMetrics registers the metrics.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{
		jobs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cpc_jobs_total", Help: "Jobs that have ended, by state.",
		}, []string{"state"}),
		duration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "cpc_job_duration_seconds", Help: "Time from taking a job to its end.",
			Buckets: []float64{.5, 1, 2, 5, 10, 30, 60, 300, 900},
		}),
	}
	registry.MustRegister(m.jobs, m.duration)
	return m
}

func (m *Metrics) finished(state string, took time.Duration) {
	m.jobs.WithLabelValues(state).Inc()
	m.duration.Observe(took.Seconds())
}
