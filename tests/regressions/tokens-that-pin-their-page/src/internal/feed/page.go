// Package feed reads merchants' product feeds.
package feed

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Page is one upload: a line of meta data and one line per offer.
type Page struct {
	Full   bool
	Resume string
	Offers []Offer
}

// Offer is one article for sale.
type Offer struct {
	SKU   string
	Title string
	Cents int
	Stock int
}

var errShort = errors.New("feed: page has no meta line")

// Read parses a page.
func Read(r io.Reader) (*Page, error) {
	var buf bytes.Buffer
	if _, err := buf.ReadFrom(r); err != nil {
		return nil, fmt.Errorf("feed: %w", err)
	}
	text := buf.String()
	meta, rest, ok := strings.Cut(text, "\n")
	if !ok {
		return nil, errShort
	}
	p := &Page{}
	for kv := range strings.SplitSeq(meta, " ") {
		switch k, v, _ := strings.Cut(kv, "="); k {
		case "mode":
			p.Full = v == "full"
		case "resume":
			p.Resume = v
		}
	}
	for line := range strings.Lines(rest) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		if len(f) < 4 {
			return nil, fmt.Errorf("feed: line with %d fields", len(f))
		}
		cents, err := strconv.Atoi(f[2])
		if err != nil {
			return nil, fmt.Errorf("feed: price of %s: %w", f[0], err)
		}
		stock, _ := strconv.Atoi(f[3])
		p.Offers = append(p.Offers, Offer{SKU: f[0], Title: f[1], Cents: cents, Stock: stock})
	}
	return p, nil
}
