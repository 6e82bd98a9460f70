//go:build cgo

package main

/*
#include <unistd.h>

static void oakum_pause(void) {
	for (;;) pause();
}
*/
import "C"

func pauseInC() {
	C.oakum_pause()
}

func openForeign() {
	show(exhibit{Function: "main.pauseInC", Count: 1, State: "syscall", CreatedBy: "main.openForeign"})
	go pauseInC()
}
