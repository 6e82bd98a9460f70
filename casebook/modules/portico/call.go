package portico

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
)

// Call is one request on its way through the interceptors to its endpoint.
type Call struct {
	Ctx  context.Context
	W    http.ResponseWriter
	R    *http.Request
	Tail string

	status int
	steps  []Step
	at     int
}

// Step is an interceptor or, as the last one, the endpoint.
type Step func(c *Call) error

// Next runs the rest of the steps.
func (c *Call) Next() error {
	if c.at >= len(c.steps) {
		return nil
	}
	step := c.steps[c.at]
	c.at++
	return step(c)
}

// Number is the tail of the path as a number, or 0.
func (c *Call) Number() int {
	n, err := strconv.Atoi(c.Tail)
	if err != nil {
		return 0
	}
	return n
}

// JSON answers with a value.
func (c *Call) JSON(status int, v interface{}) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	c.W.Header().Set("Content-Type", "application/json")
	c.Status(status)
	_, err = c.W.Write(data)
	return err
}

// Text answers with a line.
func (c *Call) Text(status int, line string) error {
	c.Status(status)
	_, err := c.W.Write([]byte(line + "\n"))
	return err
}

// Status writes the header.
func (c *Call) Status(status int) {
	c.status = status
	c.W.WriteHeader(status)
}

// Refusal is an error with a status code.
type Refusal struct {
	Status int
	Reason string
}

func (r Refusal) Error() string { return r.Reason }

func statusOf(err error) int {
	var r Refusal
	switch {
	case errors.As(err, &r):
		return r.Status
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout
	case errors.Is(err, context.Canceled):
		return 499
	}
	return http.StatusInternalServerError
}
