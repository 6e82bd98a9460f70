module example.com/unruly

go 1.21
