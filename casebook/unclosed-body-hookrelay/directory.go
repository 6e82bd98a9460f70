package main

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Directory knows the customers.
type Directory struct {
	base   string
	client *http.Client
}

// NewDirectory returns a client of the directory with room for many connections.
func NewDirectory(base string) *Directory {
	pool := &http.Transport{MaxIdleConns: 0, MaxIdleConnsPerHost: 60, IdleConnTimeout: 10 * time.Minute}
	return &Directory{base: base, client: &http.Client{Transport: pool, Timeout: 3 * time.Second}}
}

// Name returns the name of a customer.
func (d *Directory) Name(ctx context.Context, id string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.base+"/customer/"+id, nil)
	if err != nil {
		return "", err
	}
	resp, err := d.client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var customer struct{ Name string }
	if err := json.NewDecoder(resp.Body).Decode(&customer); err != nil {
		return "", err
	}
	return customer.Name, nil
}
