package main

import (
	"bytes"
	"context"
	"sync"

	"example.org/meridian/gangway"
)

const labelBytes = 28 << 10

// labelPress renders labels; a label that was printed before is printed the same again.
type labelPress struct {
	addresses *gangway.Neighbour

	mu      sync.Mutex
	printed map[string][]byte
}

func newLabelPress(addresses *gangway.Neighbour) *labelPress {
	return &labelPress{addresses: addresses, printed: make(map[string][]byte)}
}

func (p *labelPress) press(ctx context.Context, parcel string) ([]byte, error) {
	p.mu.Lock()
	image, ok := p.printed[parcel]
	p.mu.Unlock()
	if ok {
		return image, nil
	}
	address, err := p.addresses.Get(ctx, "/address/"+parcel)
	if err != nil {
		return nil, err
	}
	image = p.render(parcel, address)
	p.mu.Lock()
	p.printed[parcel] = image
	p.mu.Unlock()
	return image, nil
}

func (p *labelPress) render(parcel string, address []byte) []byte {
	scratch := make([]byte, 4*labelBytes)
	copy(scratch, address)
	image := make([]byte, labelBytes)
	copy(image, "P4\n480 480\n")
	copy(image[16:], bytes.ToUpper(scratch[:512]))
	return image
}
