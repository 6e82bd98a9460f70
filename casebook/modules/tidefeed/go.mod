module example.org/halyard/tidefeed

go 1.19
