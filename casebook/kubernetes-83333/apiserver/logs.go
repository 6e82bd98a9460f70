package main

import (
	"flag"
	"log"

	"k8s.io/klog"
)

// klogWriter hands lines of the standard logger, such as those of net/http, to klog.
type klogWriter struct{}

func (klogWriter) Write(data []byte) (int, error) {
	klog.Info(string(data))
	return len(data), nil
}

// parseFlags parses the command line and makes every logger of the process follow it.
func parseFlags() {
	// Libraries up to 1.12 log with glog, which registers its flags by itself; klog has to be asked.
	withGlog := flag.Lookup("logtostderr") != nil
	if !withGlog {
		klog.InitFlags(nil)
	}
	flag.Parse()
	if withGlog {
		ours := flag.NewFlagSet("klog", flag.ExitOnError)
		klog.InitFlags(ours)
		flag.VisitAll(func(f *flag.Flag) {
			if own := ours.Lookup(f.Name); own != nil {
				own.Value.Set(f.Value.String())
			}
		})
	}
	log.SetOutput(klogWriter{})
	log.SetFlags(0)
}
