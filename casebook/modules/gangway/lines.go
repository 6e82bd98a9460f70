package gangway

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"
)

// lineWriter takes access log lines off the request path; when it cannot follow, lines are dropped.
type lineWriter struct {
	queue chan string
	out   *bufio.Writer
}

func newLineWriter(depth int) *lineWriter {
	return &lineWriter{queue: make(chan string, depth), out: bufio.NewWriterSize(io.Discard, 16<<10)}
}

func (l *lineWriter) add(method, path string, code int, took time.Duration) {
	select {
	case l.queue <- fmt.Sprintf("%s %s %d %s\n", method, path, code, took.Round(time.Microsecond)):
	default:
	}
}

func (l *lineWriter) run(ctx context.Context) {
	flush := time.NewTicker(2 * time.Second)
	defer flush.Stop()
	for {
		select {
		case line := <-l.queue:
			l.out.WriteString(line)
		case <-flush.C:
			l.out.Flush()
		case <-ctx.Done():
			l.out.Flush()
			return
		}
	}
}
