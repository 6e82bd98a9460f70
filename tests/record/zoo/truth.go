package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// exhibit is a set of goroutines of which everything is known.
type exhibit struct {
	Function  string            `json:"function"` // on the stack of every member and, with these labels, of no other goroutine
	Count     int               `json:"count"`
	State     string            `json:"state"` // as Go 1.20 and later name it
	CreatedBy string            `json:"created_by,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
	Leaked    bool              `json:"leaked,omitempty"` // what it waits for can be reached from nowhere else
	Locked    bool              `json:"locked,omitempty"` // to its thread
	Elided    bool              `json:"elided,omitempty"` // too deep to be shown whole
}

// hoard is memory of which everything is known.
type hoard struct {
	Function     string `json:"function"`
	AllocObjects int64  `json:"alloc_objects"`
	AllocSpace   int64  `json:"alloc_space"`
	InuseObjects int64  `json:"inuse_objects"`
	InuseSpace   int64  `json:"inuse_space"`
}

type truth struct {
	Go         string    `json:"go"`
	OS         string    `json:"os"`
	Arch       string    `json:"arch"`
	Waited     int       `json:"waited_minutes"`
	Begun      time.Time `json:"begun"`
	Ended      time.Time `json:"ended"`
	Goroutines int       `json:"goroutines"` // while the captures were taken
	NumGC      [2]uint32 `json:"num_gc"`     // before and after the heap captures
	HeapSys    [2]uint64 `json:"heap_sys"`
	Exhibits   []exhibit `json:"exhibits"`
	Hoards     []hoard   `json:"hoards"`
	Contended  []string  `json:"contended"` // functions in the block and mutex profiles
	Burning    string    `json:"burning"`   // the function in which the CPU profile was spent
}

var known truth

func show(e exhibit) {
	known.Exhibits = append(known.Exhibits, e)
}

func writeTruth(dir string) {
	known.Go, known.OS, known.Arch = runtime.Version(), runtime.GOOS, runtime.GOARCH
	text, err := json.MarshalIndent(&known, "", " ")
	fail(err)
	fail(os.WriteFile(filepath.Join(dir, "truth.json"), append(text, '\n'), 0o644))
}
