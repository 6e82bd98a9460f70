module example.org/leaky

go 1.19
