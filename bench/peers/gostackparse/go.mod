module oakum/bench/gostackparse

go 1.21

require github.com/DataDog/gostackparse v0.7.0
