package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"example.org/tinlane/plumb/fan"
	"example.org/tinlane/plumb/httpd"
)

// Clerk files manifests.
type Clerk struct {
	registry *Registry
}

type filing struct {
	Manifest string   `json:"manifest"`
	Cleared  []string `json:"cleared"`
}

func (k *Clerk) file(c *httpd.Call, manifest string) error {
	cleared, err := k.clear(c.Ctx(), manifest, containersOf(manifest))
	if err != nil {
		return httpd.Problem{Code: 422, Text: err.Error()}
	}
	return c.JSON(201, filing{Manifest: manifest, Cleared: cleared})
}

// clear asks customs about every container of a manifest.
func (k *Clerk) clear(ctx context.Context, manifest string, containers []string) ([]string, error) {
	results := fan.Stream(ctx, containers, k.inspect)
	var cleared []string
	for range containers {
		result := <-results
		if result.Err != nil {
			return nil, fmt.Errorf("manifest %s: %w", manifest, result.Err)
		}
		cleared = append(cleared, result.Value.(string))
	}
	return cleared, nil
}

func (k *Clerk) inspect(ctx context.Context, container string) (any, error) {
	if strings.HasSuffix(container, "!") {
		return nil, fmt.Errorf("container %s: check digit is wrong", container)
	}
	wait := time.NewTimer(150 * time.Millisecond)
	defer wait.Stop()
	select {
	case <-wait.C:
		return k.registry.stamp(container), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func containersOf(manifest string) []string {
	name := strings.TrimSuffix(manifest, "!")
	out := make([]string, 0, 8)
	for i := 0; i < 8; i++ {
		out = append(out, fmt.Sprintf("MSKU%s%02d", name, i))
	}
	if name != manifest {
		out[5] += "!"
	}
	return out
}
