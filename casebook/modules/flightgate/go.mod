module example.org/driftwood/flightgate

go 1.19
