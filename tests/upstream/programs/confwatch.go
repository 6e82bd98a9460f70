package main // Each viper that watches its file does so until the process ends; there is no call to end it.

import (
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/viper"
)

const batch = 1

var every = 1500 * time.Millisecond
var file string

func setup() {
	dir, _ := os.MkdirTemp("", "conf")
	file = filepath.Join(dir, "app.yaml")
	must(os.WriteFile(file, []byte("a: 1\n"), 0o600))
}

func serve(n int) {
	v := viper.New()
	v.SetConfigFile(file)
	must(v.ReadInConfig())
	if mode == "healthy" && n > 4 {
		return
	}
	v.WatchConfig()
}
