package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// Bank is a client of the bank.
type Bank struct {
	url    string
	client *http.Client
}

// NewBank returns a client of the bank at a URL.
func NewBank(url string) *Bank {
	return &Bank{url: url, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}}
}

// Transfer asks the bank to pay and returns its receipt.
func (b *Bank) Transfer(ctx context.Context, order Order) (string, error) {
	body, err := json.Marshal(order)
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.url+"/transfers", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	resp, err := b.client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("bank: %s", strings.TrimSpace(string(text)))
	}
	return string(text), nil
}

// startBank serves the bank's test system, which refuses accounts that begin with 9.
func startBank() (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/transfers", func(w http.ResponseWriter, r *http.Request) {
		var order Order
		if err := json.NewDecoder(r.Body).Decode(&order); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		time.Sleep(120 * time.Millisecond)
		if strings.HasPrefix(order.Account, "9") {
			http.Error(w, "account is closed", http.StatusConflict)
			return
		}
		fmt.Fprintf(w, "R-%s-%d", order.Account, order.Cents)
	})
	server := &http.Server{Handler: mux}
	go func() { _ = server.Serve(ln) }()
	return "http://" + ln.Addr().String(), nil
}
