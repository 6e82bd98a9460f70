module example.org/kestrelops/switchyard

go 1.19
