package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
)

var errKind = errors.New("this kind of paper is not supported")

// Papers imports the papers of parcels.
type Papers struct {
	carrier *Carrier
	client  *http.Client
}

// NewPapers imports from a carrier.
func NewPapers(c *Carrier) *Papers {
	return &Papers{carrier: c, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2}}}
}

// Import fetches the paper of a parcel and returns what kind it is.
func (p *Papers) Import(parcel string) (string, error) {
	resp, err := p.client.Get(p.carrier.base + "/paper/" + parcel)
	if err != nil {
		return "", err
	}
	kind, rest, err := sniff(resp.Body)
	if err != nil {
		return "", fmt.Errorf("paper of %s: %w", parcel, err)
	}
	defer rest.Close()
	if _, err := io.Copy(io.Discard, rest); err != nil {
		return "", err
	}
	return kind, nil
}

// sniff looks at the first bytes of a paper; the caller closes what it returns.
func sniff(body io.ReadCloser) (string, io.ReadCloser, error) {
	head := make([]byte, 512)
	n, err := io.ReadFull(body, head)
	if err != nil && err != io.ErrUnexpectedEOF {
		return "", nil, err
	}
	switch kind := http.DetectContentType(head[:n]); kind {
	case "application/pdf", "text/plain; charset=utf-8", "image/png":
		return kind, body, nil
	default:
		return "", nil, errKind
	}
}
