// Package carrier asks the carriers' price book over HTTP.
package carrier

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Price is what a carrier asks for a lane.
type Price struct {
	Lane  string `json:"lane"`
	Cents int    `json:"cents"`
}

// Client asks one price book.
type Client struct {
	base string
	http *http.Client
}

// NewClient returns a client that keeps up to idle connections open.
func NewClient(base string, idle int) *Client {
	return &Client{base: base, http: &http.Client{
		Timeout:   5 * time.Second,
		Transport: &http.Transport{MaxIdleConnsPerHost: idle, IdleConnTimeout: 5 * time.Minute},
	}}
}

// Price returns the price of a lane for a reference.
func (c *Client) Price(lane, ref string) (Price, error) {
	var price Price
	resp, err := c.http.Get(fmt.Sprintf("%s/price/%s/%s", c.base, lane, ref))
	if err != nil {
		return price, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return price, fmt.Errorf("price book: %s", resp.Status)
	}
	return price, json.NewDecoder(resp.Body).Decode(&price)
}
