package main

import (
	"fmt"
	"time"

	"example.org/harborworks/harbor"
	"example.org/harborworks/harbor/wrap"
)

func main() {
	svc := harbor.New("approvald")
	post := openPostOffice(merchants(130))
	desk := newDesk(post, 2500*time.Millisecond)

	svc.Background(desk.approveSmall)
	svc.Background(desk.expire)
	svc.Metrics.Gauge("approvald_pending_payments", func() float64 { return float64(desk.waiting()) })

	h := &handlers{desk: desk}
	svc.Route("/payments/", h.submit, wrap.Deadline(2*time.Second))
	svc.Route("/approvals/", h.approve)
	svc.Main()
}

func merchants(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("merchant-%03d", i)
	}
	return names
}
