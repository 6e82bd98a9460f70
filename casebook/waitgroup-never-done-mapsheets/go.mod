module example.com/landesvermessung/mapsheets

go 1.19

require (
	example.org/driftwood/flightgate v1.2.0
	example.org/halyard/lattice v1.4.2
)

replace (
	example.org/driftwood/flightgate => ../modules/flightgate
	example.org/halyard/lattice => ../modules/lattice
)
