// Package rules compiles and runs what the risk analysts write.
package rules

import (
	"fmt"
	"sync/atomic"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
)

// Source is one rule as the analysts publish it.
type Source struct {
	Name   string `json:"name"`
	When   string `json:"when"`
	Points int    `json:"points"`
}

// Payment is what a rule sees.
type Payment struct {
	Amount   float64
	Currency string
	Country  string
	Card     string
	Device   string
	Hour     int
	Listed   func(list, value string) bool
}

type compiled struct {
	src  Source
	prog *vm.Program
	hits atomic.Int64
}

func compile(src Source) (*compiled, error) {
	prog, err := expr.Compile(src.When, expr.Env(Payment{}), expr.AsBool())
	if err != nil {
		return nil, fmt.Errorf("rule %s: %w", src.Name, err)
	}
	return &compiled{src: src, prog: prog}, nil
}
