module example.com/firsts

go 1.21
