package pipeline

import (
	"bytes"
	"compress/gzip"
	"container/list"
	"context"
	"sync"

	"k8s.io/klog"
)

type logEntry struct {
	job    string
	packed []byte
}

type packRequest struct {
	job string
	raw []byte
}

// Archive keeps the logs of the last builds, compressed, for the web page.
type Archive struct {
	pending chan packRequest

	mu     sync.Mutex
	limit  int
	recent *list.List
	byJob  map[string]*list.Element
}

// NewArchive returns an archive of at most limit logs with its own packers.
func NewArchive(ctx context.Context, limit, packers int) *Archive {
	a := &Archive{pending: make(chan packRequest, 64), limit: limit, recent: list.New(), byJob: map[string]*list.Element{}}
	for i := 0; i < packers; i++ {
		go a.pack(ctx)
	}
	return a
}

// Keep hands a log to the packers.
func (a *Archive) Keep(ctx context.Context, job string, raw []byte) error {
	select {
	case a.pending <- packRequest{job, raw}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Log returns the compressed log of a job.
func (a *Archive) Log(job string) ([]byte, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	e, ok := a.byJob[job]
	if !ok {
		return nil, false
	}
	a.recent.MoveToFront(e)
	return e.Value.(logEntry).packed, true
}

func (a *Archive) pack(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case request := <-a.pending:
			var out bytes.Buffer
			zip := gzip.NewWriter(&out)
			if _, err := zip.Write(request.raw); err != nil {
				klog.Warningf("job %s: %v", request.job, err)
				continue
			}
			if err := zip.Close(); err != nil {
				klog.Warningf("job %s: %v", request.job, err)
				continue
			}
			a.add(request.job, out.Bytes())
		}
	}
}

func (a *Archive) add(job string, packed []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.byJob[job] = a.recent.PushFront(logEntry{job, packed})
	for a.recent.Len() > a.limit {
		oldest := a.recent.Back()
		a.recent.Remove(oldest)
		delete(a.byJob, oldest.Value.(logEntry).job)
	}
}
