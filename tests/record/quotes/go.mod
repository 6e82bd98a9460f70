module example.com/quotes

go 1.21
