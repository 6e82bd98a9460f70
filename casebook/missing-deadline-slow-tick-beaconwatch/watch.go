package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"net"
	"strings"
	"sync"
	"time"
)

type state struct {
	text string
	at   time.Time
}

// watch asks every light in each round; a light that cannot be reached keeps its last state.
type watch struct {
	lights map[string]string

	mu    sync.Mutex
	known map[string]state
}

func newWatch(lights map[string]string) *watch {
	return &watch{lights: lights, known: make(map[string]state)}
}

func (w *watch) round(context.Context) {
	for name, addr := range w.lights {
		go w.ask(name, addr)
	}
}

func (w *watch) ask(name, addr string) {
	conn, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		log.Printf("%s: %v", name, err)
		return
	}
	defer conn.Close()
	text, err := converse(conn, "STATE?")
	if err != nil {
		log.Printf("%s: %v", name, err)
		return
	}
	w.mu.Lock()
	w.known[name] = state{text: text, at: time.Now()}
	w.mu.Unlock()
}

func converse(conn net.Conn, question string) (string, error) {
	if _, err := fmt.Fprintf(conn, "%s\r\n", question); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(line), nil
}

func (w *watch) snapshot() map[string]state {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := make(map[string]state, len(w.known))
	for name, s := range w.known {
		all[name] = s
	}
	return all
}

func (w *watch) forget(context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, s := range w.known {
		if time.Since(s.at) > time.Minute {
			delete(w.known, name)
		}
	}
}
