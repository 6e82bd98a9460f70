module example.org/halyard/lattice

go 1.19
