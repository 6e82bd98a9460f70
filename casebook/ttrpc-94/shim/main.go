// Command shim is a containerd shim (runtime v2): one process per pod that
// answers the task API over ttrpc and keeps the pod's processes.
package main

import (
	"context"

	"github.com/containerd/containerd/log"
	"github.com/containerd/containerd/runtime/v2/shim"
	"github.com/sirupsen/logrus"
)

func main() {
	logrus.SetFormatter(&logrus.TextFormatter{
		TimestampFormat: log.RFC3339NanoFixed,
		FullTimestamp:   true,
	})
	shim.Run("io.containerd.runc.v2", newService, func(c *shim.Config) {
		c.NoSetupLogger = true // stderr goes to the journal of the node
		c.NoReaper = true
		c.NoSubreaper = true
	})
}

func newService(ctx context.Context, id string, publisher shim.Publisher, shutdown func()) (shim.Shim, error) {
	return &service{
		id:       id,
		shutdown: shutdown,
		tasks:    make(map[string]*process),
		execs:    make(map[string]*process),
	}, nil
}
