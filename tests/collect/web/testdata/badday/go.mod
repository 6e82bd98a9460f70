module example.com/badday

go 1.24
