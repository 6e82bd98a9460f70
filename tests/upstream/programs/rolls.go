package main // A logger that is closed keeps the goroutine that compresses and removes old files.

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	lumberjack "gopkg.in/natefinch/lumberjack.v2"
)

const batch = 1

var every = 100 * time.Millisecond
var dir string
var shared *lumberjack.Logger

func setup() {
	dir, _ = os.MkdirTemp("", "rolls")
	shared = &lumberjack.Logger{Filename: filepath.Join(dir, "all.log"), MaxSize: 1}
}

func serve(n int) {
	if mode == "healthy" {
		fmt.Fprintln(shared, "job", n)
		return
	}
	l := &lumberjack.Logger{Filename: filepath.Join(dir, fmt.Sprintf("tenant-%d.log", n%20)), MaxSize: 1}
	fmt.Fprintln(l, "job", n)
	l.Close()
}
