module example.com/shim

go 1.19
