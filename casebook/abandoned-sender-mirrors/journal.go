package main

import (
	"log"
	"time"

	"example.org/tinlane/plumb/httpd"
)

// journal writes a line for every slow call, away from the request.
type journal struct {
	lines chan string
}

func openJournal() *journal {
	j := &journal{lines: make(chan string, 256)}
	go j.write()
	return j
}

func (j *journal) write() {
	for line := range j.lines {
		log.Print(line)
	}
}

func (j *journal) record(next httpd.Func) httpd.Func {
	return func(c *httpd.Call) error {
		begun := time.Now()
		err := next(c)
		if took := time.Since(begun); took > 500*time.Millisecond {
			select {
			case j.lines <- c.Trace + " " + c.R.URL.Path + " " + took.String():
			default:
			}
		}
		return err
	}
}
