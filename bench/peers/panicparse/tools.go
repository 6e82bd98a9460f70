//go:build tools

// Package panicparse names the peer that bench/ compares with, so that go.mod and go.sum pin it.
package panicparse

import _ "github.com/maruel/panicparse/v2/cmd/pp"
