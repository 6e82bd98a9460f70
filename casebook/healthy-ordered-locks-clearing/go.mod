module example.com/girobank/clearing

go 1.19

require example.org/halyard/lattice v1.4.2

replace example.org/halyard/lattice => ../modules/lattice
